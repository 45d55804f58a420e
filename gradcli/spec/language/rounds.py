"""The rounds of a program's outermost loop, told to whoever waits for its end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...engine.tensor import Tensor
from ..stdlib.iteration import Enumerate, Zip
from ..values.user_definitions import UserType

# What tells its length without a word of the program's.
_SIZED: tuple[type[Any], ...] = (
    list, tuple, dict, set, frozenset, str, range, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip


class Rounds:
    """The loop that runs and is in no other, and the rounds that it has begun."""

    def __init__(self, told: Callable[[tuple[int, int | None, int, str]], object]) -> None:
        # Is told the number of each round, of how many, and the line and the words that begin the loop.
        self._told = told
        self._loop: tuple[int | None, int, str] | None = None
        self._number = 0

    def enters(self, loop: ast.For | ast.While, value: Any = None) -> bool:
        """Note that a loop begins, unless it is in another: then it is not counted."""
        if self._loop is not None:
            return False
        head = f"for {ast.unparse(loop.target)}" if isinstance(loop, ast.For) else "while"
        self._loop = length(value) if isinstance(loop, ast.For) else None, loop.lineno, head
        self._number = 0
        return True

    def begins(self) -> None:
        """Note that the loop begins its next round."""
        assert self._loop is not None
        self._number += 1
        self._told((self._number, *self._loop))

    def leaves(self) -> None:
        """Note that the loop is over."""
        self._loop = None


def length(value: Any) -> int | None:
    """The number of rounds of a loop over a value; None where nobody knows it."""
    if isinstance(value, _SIZED):
        return len(value)
    if isinstance(value, Tensor):
        return value.shape[0] if value.dim() else None
    if isinstance(value, (Enumerate, Zip)):
        known = [n for n in map(length, value.below) if n is not None]
        return min(known, default=None)
    if isinstance(type(value), UserType):
        # Its length is for code of the program's to say, which nobody has called. A bar of tqdm's holds what it walks.
        return length(getattr(value, "__dict__", {}).get("iterable"))
    return None
