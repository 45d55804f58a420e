"""torch.functional: where PyTorch has the functions of torch that it writes in Python; all are found here."""

from __future__ import annotations

from .engine.offers import place_door as _place_door

__getattr__, __dir__ = _place_door(__name__, "torch")
