"""The border to someone's code: each call of it goes through here, so that what it raises is not taken for ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ...errors import LimitError


def theirs(function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
    """Call someone's function."""
    return function(*args, **named)


def raised_there(*also: type[BaseException]) -> tuple[type[BaseException], ...]:
    """The classes to catch where someone's function was called: all for what it raised, none for a bug of ours.

    ``also`` is caught whoever raised it.
    """
    error = sys.exception()
    # A limit of ours ends all that is done; a recursion without end is that of whoever wrote it.
    if not isinstance(error, Exception) or isinstance(error, (LimitError, MemoryError)):
        return also
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is theirs.__code__:
            return (Exception,)
        trace = trace.tb_next
    return also


def said(error: BaseException | None) -> str:
    """The class of an exception, and the first line of what it says."""
    try:
        words = (theirs(str, error).splitlines() or [""])[0]
    except raised_there():
        # Its own code says what it says, and stops.
        words = ""
    return f"{type(error).__name__}: {words}".rstrip(": ")
