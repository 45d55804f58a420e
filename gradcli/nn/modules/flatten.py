"""Axes made one, and one made several."""

from __future__ import annotations

from typing import Any

from ...engine.tensor import Tensor
from ...errors import EngineTypeError
from ..base.options import NEEDED, Options


class Flatten(Options):
    """The input with a range of axes made one."""

    _options, _shown = {"start_dim": 1, "end_dim": -1}, ("start_dim", "end_dim")

    def forward(self, input: Tensor) -> Any:  # type: ignore[override]
        """Flatten."""
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Options):
    """The input with one axis made several."""

    _options = {"dim": NEEDED, "unflattened_size": NEEDED}
    _shown = ("dim", "unflattened_size")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sizes: Any = self.unflattened_size
        if not isinstance(sizes, (tuple, list)):
            raise EngineTypeError(f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}")
        for i, size in enumerate(sizes):
            if not isinstance(size, int):
                raise EngineTypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {i}"
                )

    def forward(self, input: Tensor) -> Any:  # type: ignore[override]
        """Unflatten."""
        return input.unflatten(self.dim, self.unflattened_size)
