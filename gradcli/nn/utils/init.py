"""A layer without starting values."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from ...errors import EngineError
from ..modules.module import Module

M = TypeVar("M", bound=Module)


def skip_init(module_cls: type[M], *args: Any, **kwargs: Any) -> M:
    """A layer of which nobody says what is in its parameters."""
    if not issubclass(module_cls, Module):
        raise EngineError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise EngineError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    made: M = module_cls(*args, device="meta", **kwargs)
    return made.to_empty(device=device)
