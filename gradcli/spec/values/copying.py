"""Copies of a value with all that it holds."""

from __future__ import annotations

from typing import Any

from ...engine.guard.addresses import address
from ...errors import SpecError
from ..guard.size_limits import weigh
from .classes.making_classes import Memo
from .user_definitions import HELD, MISSING, UserType


def shallow_copy(x: Any, /) -> Any:
    """A copy of a value that holds what the value holds."""
    from copy import copy

    made = copy(x)
    if made is not x and type(made) is type(x) and isinstance(type(x), UserType):
        own = made.__dict__
        if HELD in own:
            own[HELD] = dict(own[HELD])
    return made


def deep_copy(x: Any, memo: Any = None, /) -> Any:
    """A copy of a value and of all that it holds."""
    from copy import deepcopy

    if memo is not None and type(memo) is not Memo:
        raise SpecError(
            "deepcopy() takes no memo in the spec language but that of a __deepcopy__",
            help="leave it away: what is held twice is copied once",
            code="E205",
        )
    weigh(x)
    if memo is None:
        return deepcopy(x)
    known = memo.get(address(x), MISSING)
    return deepcopy(x, memo.host) if known is MISSING else known


shallow_copy.__name__ = shallow_copy.__qualname__ = "copy"
deep_copy.__name__ = deep_copy.__qualname__ = "deepcopy"
