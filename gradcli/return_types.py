"""torch.return_types: the classes of results that have names."""

from __future__ import annotations

from .engine.offers import door as _door
from .engine.ops.named_results import classes as _classes


def _listed() -> dict[str, type]:
    from .engine import offers

    offers.load_all()
    return _classes


__getattr__, __dir__ = _door(__name__, lambda name: _listed().get(name), lambda: [n for n in _listed() if n[0] != "_"])
