"""Strings and bytes: the methods that make longer ones look first how long they become."""

from __future__ import annotations

from typing import Any

from ...guard.size_limits import caps, collected, fits, whole
from ...stdlib.iteration import iterate
from ..standing import value_of
from .table import Method, declare, own_methods


def _padded(cls: Any, name: str) -> Method:
    """A method that pads to a width."""
    pad = getattr(cls, name)

    def method(self: Any, width: int, *fill: Any) -> Any:
        fits(whole(width), cls.__name__)
        return pad(self, width, *fill)

    return method


def _expandtabs(self: str, tabsize: int = 8) -> str:
    fits(len(self) + self.count("\t") * max(whole(tabsize), 0), "str")
    return self.expandtabs(tabsize)


# What pieces of bytes may be: each kind of both.
_PIECES: dict[Any, Any] = dict.fromkeys((bytes, bytearray), (bytes, bytearray))


def _joining(cls: Any) -> Method:
    def join(self: Any, iterable: Any) -> Any:
        try:
            values = iterate(iterable)
        except TypeError:
            raise TypeError("can only join an iterable") from None
        pieces = list(map(value_of, collected(iterable if isinstance(iterable, (list, tuple)) else values)))
        length = len(self) * (len(pieces) - 1)
        for piece in pieces:
            if isinstance(piece, _PIECES.get(cls, cls)):
                length += len(piece)
        fits(length, cls.__name__)
        return self.join(pieces)

    return join


def _replacing(cls: Any) -> Method:
    def replace(self: Any, old: Any, new: Any, count: int = -1) -> Any:
        kinds = _PIECES.get(cls, cls)
        if isinstance(old, kinds) and isinstance(new, kinds) and len(new) > len(old):
            times = self.count(old)
            if isinstance(count, int) and count >= 0:
                times = min(times, count)
            fits(len(self) + times * (len(new) - len(old)), cls.__name__)
        return self.replace(old, new, count)

    return replace


def common_methods(cls: type) -> dict[str, Method]:
    """The methods that strings and bytes have alike."""
    return {
        **own_methods(
            cls,
            "capitalize count endswith find index isalnum isalpha isascii isdigit islower isspace istitle isupper "
            "lower lstrip partition removeprefix removesuffix rfind rindex rpartition rsplit rstrip split splitlines "
            "startswith strip swapcase title upper",
        ),
        **{name: _padded(cls, name) for name in ("center", "ljust", "rjust", "zfill")},
        "join": _joining(cls),
        "replace": _replacing(cls),
    }


def _format_map(self: str, mapping: Any, /) -> str:
    from ..formatting import filled_from

    return filled_from(self, mapping)


def _format(self: str, *args: Any, **kwargs: Any) -> str:
    from ..formatting import filled

    return filled(self, args, kwargs)


def _encode(self: str, encoding: Any = "utf-8", errors: Any = "strict") -> bytes:
    from ..encodings import encoded

    return encoded(self, encoding, errors)


def _translate(self: str, table: Any) -> str:
    """The string with each character as a table by numbers has it; the table may be a program's own."""
    new: dict[str, Any] = {}
    for char in dict.fromkeys(self):
        caps.tick(1)
        try:
            found = caps.item(table, ord(char))
        except LookupError:
            continue
        if found is not None and not isinstance(found, (int, str)):
            raise TypeError("character mapping must return integer, None or str")
        new[char] = "" if found is None else found if isinstance(found, str) else chr(found)
    fits(sum(len(to) * self.count(char) for char, to in new.items()) + len(self), "str")
    return "".join([new.get(char, char) for char in self])


def _maketrans(x: Any, *others: Any) -> dict[Any, Any]:
    if not others and type(x) is not dict:
        raise TypeError("if you give only one argument to maketrans it must be a dict")
    return str.maketrans(x, *others)


_STR = declare(
    str,
    methods={
        **common_methods(str),
        **own_methods(str, "casefold isdecimal isidentifier isnumeric isprintable"),
        "expandtabs": _expandtabs,
        "format": _format,
        "format_map": _format_map,
        "encode": _encode,
        "translate": _translate,
    },
)
_STR.statics["maketrans"] = _maketrans
_maketrans.__name__, _maketrans.__qualname__ = "maketrans", "str.maketrans"
