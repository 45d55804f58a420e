"""A program in place of its graph: run again for every point."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from .one_op import Change
from .plan import Plan, Unreplayable
from .subject import Subject, Unrepeatable

# A judgement of one entry takes about as many runs.
_RUNS = 200


def affordable(subject: Subject) -> bool:
    """True where there is time to judge every entry by running the program again."""
    return subject.reruns >= _RUNS * sum(a.size for a in subject.at)


def whole(subject: Subject) -> Subject:
    """The subject, with the numbers at other points from the program itself, not from its graph."""
    found = copy.copy(subject)
    found.__dict__["plan"] = _Whole(subject)
    return found


class _Whole(Plan):
    """The outputs of a program at other values of its leaves."""

    at_once = False

    def __init__(self, subject: Subject) -> None:
        super().__init__([y.tensor for y in subject.outputs], [x.tensor for x in subject.inputs])
        self._subject = subject

    def recorded(self, arrays: Sequence[Any]) -> Any:
        """Refused: the program itself is asked for its gradient."""
        raise Unreplayable(None, "the program is run again")

    def batch(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None = None
    ) -> list[Any]:
        """The outputs at many points; not a number where the program cannot be run."""
        if change is not None:
            return super().batch(arrays, moved, count, change)
        if any(np.iscomplexobj(a) for a in arrays):
            raise Unreplayable(None, "a program is no function of complex numbers")
        points = [self._at([a[i] if m else a for a, m in zip(arrays, moved, strict=True)]) for i in range(count)]
        return [np.stack(several) for several in zip(*points, strict=True)]

    def _at(self, arrays: Sequence[Any]) -> list[Any]:
        try:
            return self._subject.recorded_at(arrays).numbers
        except Unrepeatable:
            return [np.full(shape, np.nan) for shape in self.shapes]
