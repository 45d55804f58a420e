"""Puts back what a custom Function keeps beside what it saved: a try may have written to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ...spec.values.user_definitions import UserType

_CONTAINERS = list, dict, set


class KeptState:
    """The contents of all that some values hold: numbers, containers, and objects of the program's own classes."""

    def __init__(self, values: Any) -> None:
        self.arrays: list[tuple[Any, Any]] = []
        self.containers: list[tuple[Any, Any]] = []
        waiting, seen = [values], set()
        while waiting:
            x = waiting.pop()
            if id(x) not in seen:
                seen.add(id(x))
                waiting += self._noted(x)

    def _noted(self, x: Any) -> Iterator[Any]:
        """Note what a value holds, and give the values in it."""
        if isinstance(x, Tensor):
            yield x._a
        elif isinstance(x, np.ndarray):
            if x.flags.writeable:
                self.arrays.append((x, x.copy()))
        elif isinstance(x, _CONTAINERS):
            self.containers.append((x, x.copy()))
            yield from x.values() if isinstance(x, dict) else x
        elif isinstance(x, tuple):
            yield from x
        elif type(type(x)) is UserType:
            yield vars(x)

    def put_back(self) -> None:
        """Give all of them the contents that they had."""
        for array, before in self.arrays:
            np.copyto(array, before)
        for container, contents in self.containers:
            if isinstance(container, list):
                container[:] = contents
            else:
                container.clear()
                container.update(contents)
