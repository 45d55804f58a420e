"""A line whose points are dear: none of its values is computed twice."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .all_ways import Line


class Remembered:
    """A line that remembers its values."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._known: dict[float, tuple[float, Array]] = {}
        self.scale, self.size = line.scale, line.size
        self.imag, self.imag_noise, self.around = line.imag, line.imag_noise, line.around

    @property
    def noise(self) -> Array:
        """The rounding noise of the outputs at the point (m,)."""
        return self._line.noise

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""
        wanted = np.asarray(steps, np.float64).tolist()
        new = list(dict.fromkeys(step for step in wanted if step not in self._known))
        if new:
            self._known.update(zip(new, zip(*self._line.values(np.array(new)), strict=True), strict=True))
        found = [self._known[step] for step in wanted]
        return np.array([step for step, _ in found]), np.array([row for _, row in found]).reshape(len(found), self.size)


def remembered(line: Line) -> Line:
    """A line that remembers its values."""
    return line if isinstance(line, Remembered) else Remembered(line)
