"""The functions of torch that distributions are written with."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..stubs.torch import *  # noqa: F403
else:
    from ..engine.offers import place_door as _place_door

    __getattr__, __dir__ = _place_door(__name__, "torch")
