"""torch.nn.functional."""

from __future__ import annotations

from ..engine.offers import place_door as _place_door

__getattr__, __dir__ = _place_door(__name__, "F")
