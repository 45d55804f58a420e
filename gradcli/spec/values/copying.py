"""Copies of a value with all that it holds."""

from __future__ import annotations

from typing import Any

from ...errors import SpecError
from ..guard.size_limits import weigh


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


deep_copy.__name__ = deep_copy.__qualname__ = "deepcopy"
