"""torch.nn.functional."""

from __future__ import annotations

from ..engine import methods as _methods
from ..engine.registry import PUBLIC as _PUBLIC

globals().update(_PUBLIC["F"])
