"""Axes made one, and one made several."""

from __future__ import annotations

from typing import Any

from ..base.options import NEEDED, Options


class Flatten(Options):
    """The input with a range of axes made one."""

    _options, _shown = {"start_dim": 1, "end_dim": -1}, ("start_dim", "end_dim")

    def forward(self, *inputs: Any) -> Any:
        """Flatten."""
        return inputs[0].flatten(self.start_dim, self.end_dim)


class Unflatten(Options):
    """The input with one axis made several."""

    _options = {"dim": NEEDED, "unflattened_size": NEEDED}
    _shown = ("dim", "unflattened_size")

    def forward(self, *inputs: Any) -> Any:
        """Unflatten."""
        return inputs[0].unflatten(self.dim, self.unflattened_size)
