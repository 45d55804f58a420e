"""Strings: the methods that make longer ones look first how long they become."""

from __future__ import annotations

from typing import Any

from ...guard.size_limits import collected, fits, whole
from ...stdlib.iteration import iterate
from .table import declare, own_methods


def _padded(name: str) -> Any:
    """A method that pads to a width."""
    pad = getattr(str, name)

    def method(self: str, width: int, *fill: str) -> str:
        fits(whole(width), "str")
        return pad(self, width, *fill)  # type: ignore[no-any-return]

    return method


def _expandtabs(self: str, tabsize: int = 8) -> str:
    fits(len(self) + self.count("\t") * max(whole(tabsize), 0), "str")
    return self.expandtabs(tabsize)


def _join(self: str, iterable: Any) -> str:
    try:
        values = iterate(iterable)
    except TypeError:
        raise TypeError("can only join an iterable") from None
    pieces = collected(iterable if isinstance(iterable, (list, tuple)) else values)
    length = len(self) * (len(pieces) - 1)
    for piece in pieces:
        if isinstance(piece, str):
            length += len(piece)
    fits(length, "str")
    return self.join(pieces)


def _replace(self: str, old: str, new: str, count: int = -1) -> str:
    if isinstance(old, str) and isinstance(new, str) and len(new) > len(old):
        times = self.count(old)
        if isinstance(count, int) and count >= 0:
            times = min(times, count)
        fits(len(self) + times * (len(new) - len(old)), "str")
    return self.replace(old, new, count)


def _format(self: str, *args: Any, **kwargs: Any) -> str:
    from ..formatting import filled

    return filled(self, args, kwargs)


declare(
    str,
    methods={
        **own_methods(
            str,
            "capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier "
            "islower isnumeric isprintable isspace istitle isupper lower lstrip partition removeprefix removesuffix "
            "rfind rindex rpartition rsplit rstrip split splitlines startswith strip swapcase title upper",
        ),
        "center": _padded("center"),
        "ljust": _padded("ljust"),
        "rjust": _padded("rjust"),
        "zfill": _padded("zfill"),
        "expandtabs": _expandtabs,
        "join": _join,
        "replace": _replace,
        "format": _format,
    },
)
