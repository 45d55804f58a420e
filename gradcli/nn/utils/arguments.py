"""Arguments of these functions, and their older names."""

from __future__ import annotations

import warnings
from typing import Any

from ...engine.tensor import Tensor
from ...errors import EngineTypeError


def tensors_of(name: str, given: Any) -> list[Any]:
    """Read an argument that may be one tensor or several; nothing else about it is asked or run."""
    if isinstance(given, Tensor):
        return [given]
    held = list(given)
    for i, t in enumerate(held):
        if not isinstance(t, Tensor):
            raise EngineTypeError(f"{name}(): expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return held


def deprecated(name: str, new: str) -> None:
    """Warn of an older name."""
    warnings.warn(
        f"`torch.nn.utils.{name}` is {'now ' if new.endswith('_') else ''}deprecated in favor of "
        f"`torch.nn.utils.{new}`.",
        FutureWarning,
        stacklevel=3,
    )
