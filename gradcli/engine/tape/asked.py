"""Notes on a condition while it is evaluated: that it reads numbers of graphs, and which ones it compares for order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..tensor import Tensor

# Of a condition that compares more often nobody asks how near its other outcome is.
_MANY = 4


class Compared(NamedTuple):
    """Two sides that were compared, their difference, and with which sign each tensor goes into that."""

    left: Any
    right: Any
    difference: Any
    parts: tuple[tuple[Tensor, Any], ...]


class Asked:
    """Notes on one evaluation of a condition."""

    __slots__ = ("comparisons", "reads")

    def __init__(self) -> None:
        # Whether a number of a graph was read.
        self.reads = False
        self.comparisons: list[Compared] = []

    @property
    def few(self) -> list[Compared]:
        """The comparisons, where they are not too many to look at."""
        return self.comparisons if len(self.comparisons) <= _MANY else []

    def compared(self, left: Any, right: Any) -> None:
        """Note a comparison for order."""
        a, b = _array(left), _array(right)
        if len(self.comparisons) <= _MANY and a.dtype.kind in "fiu" and b.dtype.kind in "fiu":
            with np.errstate(all="ignore"):
                difference = np.asarray(np.subtract(a, b, dtype=float))
            parts = [(x, sign) for x, sign in ((left, 1.0), (right, -1.0)) if hasattr(x, "_a")]
            self._note(Compared(a, b, difference, tuple(parts)))

    def near(self, one: Tensor, other: Tensor, distance: Any, tolerance: Any) -> None:
        """Note a comparison of how far tensors are apart."""
        if len(self.comparisons) <= _MANY and distance.dtype.kind == "f":
            sign = np.where(np.asarray(one._a >= other._a), 1.0, -1.0)
            self._note(Compared(distance, tolerance, distance - tolerance, ((one, sign), (other, -sign))))

    def add(self, earlier: Asked | None) -> None:
        """Take in what was noted before, of what is asked now."""
        if earlier is not None and earlier.reads:
            self.reads = True
            self.comparisons += earlier.comparisons

    def _note(self, made: Compared) -> None:
        if made.difference.size and np.isfinite(made.difference).all():
            self.comparisons.append(made)


def _array(x: Any) -> Any:
    return np.asarray(getattr(x, "_a", x))
