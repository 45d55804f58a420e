"""torch.nn.functional."""

from __future__ import annotations

from typing import Any

from ..engine.registry import PUBLIC as _PUBLIC

globals().update(_PUBLIC["F"])


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'gradcli.nn.functional' has no attribute '{name}'")
