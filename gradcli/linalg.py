"""torch.linalg."""

from __future__ import annotations

from .engine import methods as _methods  # noqa: F401 (fills the registry)
from .engine.registry import PUBLIC as _PUBLIC

globals().update(_PUBLIC["linalg"])
