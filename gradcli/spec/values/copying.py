"""Copies of a value with all that it holds."""

from __future__ import annotations

from typing import Any

from ...errors import SpecError
from ..guard.size_limits import weigh
from .user_definitions import HELD, UserType


def shallow_copy(x: Any, /) -> Any:
    """A copy of a value that holds what the value holds."""
    from copy import copy

    made = copy(x)
    if made is not x and isinstance(type(x), UserType):
        own = made.__dict__
        if HELD in own:
            own[HELD] = dict(own[HELD])
    return made


def deep_copy(x: Any, memo: Any = None, /) -> Any:
    """A copy of a value and of all that it holds."""
    from copy import deepcopy

    if memo is not None:
        raise SpecError(
            "deepcopy() takes no memo in the spec language",
            help="leave it away: what is held twice is copied once",
            code="E205",
        )
    weigh(x)
    return deepcopy(x)


shallow_copy.__name__ = shallow_copy.__qualname__ = "copy"
deep_copy.__name__ = deep_copy.__qualname__ = "deepcopy"
