"""Numbers as bytes, by the formats of `struct`."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..guard.size_limits import checked, collected, fits
from ..values.standing import value_of
from ..values.tables.byte_strings import BYTES

_PACKED = (int, float, bool, *BYTES)


def _read(format: Any) -> tuple[str, int]:
    """A format, and the number of bytes that it stands for."""
    text = format.decode("latin-1") if type(format) is bytes else format
    if not isinstance(text, str):
        raise TypeError(f"Struct() argument 1 must be a str or bytes object, not {type(format).__name__}")
    try:
        size = struct.calcsize(text)
    except struct.error as error:
        raise ValueError(str(error)) from None
    fits(max(size, len(text)), "bytes")
    return text, size


def _size(format: Any) -> int:
    return _read(format)[1]


def _pack(format: Any, values: Any) -> bytes:
    text, _ = _read(format)
    # Python asks a number of NumPy's for its own.
    given = [v.item() if isinstance(v, np.generic) else v for v in map(value_of, collected(values))]
    for value in given:
        # Of anything else Python would call methods to learn its number.
        if type(value) not in _PACKED:
            raise ValueError("required argument is not an integer")
    try:
        return struct.pack(text, *given)
    except struct.error as error:
        raise ValueError(str(error)) from None


def _unpack(format: Any, data: Any, offset: Any) -> tuple[Any, ...]:
    text, size = _read(format)
    if type(data) not in BYTES:
        raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")
    try:
        found = struct.unpack_from(text, data, offset) if size else ()
    except struct.error as error:
        raise ValueError(str(error)) from None
    return tuple([checked(value) for value in found])


def names() -> dict[str, Any]:
    """The names of the module."""
    return {"size": _size, "pack": _pack, "unpack": _unpack}
