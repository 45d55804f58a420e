"""Bytes."""

from __future__ import annotations

from typing import Any

from ...guard.size_limits import collected, fits, whole
from ...stdlib.iteration import iterate
from ..encodings import decoded, encoded
from .strings import common_methods
from .table import declare


def made_bytes(*args: Any, **kwargs: Any) -> bytes:
    """bytes(): of a text, of so many zeros, or of numbers below 256."""
    source, *rest = args or (kwargs.pop("source", b""),)
    if type(source) is str:
        if not (rest or kwargs):
            raise TypeError("string argument without an encoding")
        return encoded(source, *rest, **kwargs)
    if rest or kwargs:
        raise TypeError("encoding without a string argument")
    if type(source) is bytes:
        return source
    if isinstance(source, int):
        fits(max(source, 0), "bytes")
        return bytes(source)
    return bytes(collected(iterate(source), "bytes"))


def _hex(self: bytes, sep: Any = None, bytes_per_sep: Any = 1) -> str:
    fits(3 * len(self), "str")
    return self.hex() if sep is None else self.hex(sep, whole(bytes_per_sep))


def _from_hex(string: Any, /) -> bytes:
    return bytes.fromhex(string)


_TABLE = declare(
    bytes,
    methods={
        **common_methods(bytes),
        "decode": lambda self, encoding="utf-8", errors="strict": decoded(self, encoding, errors),
        "hex": _hex,
    },
)
_TABLE.statics["fromhex"] = _from_hex
