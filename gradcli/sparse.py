"""torch.sparse."""

from __future__ import annotations

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .engine.offers import place_door as _place_door

    __getattr__, __dir__ = _place_door(__name__, "sparse")
