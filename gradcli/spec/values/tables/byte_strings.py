"""Bytes: those that stay as they are, and those that can be written to."""

from __future__ import annotations

from typing import Any

from ...guard.size_limits import collected, fits, whole
from ...stdlib.iteration import iterate
from ..encodings import decoded, encoded
from ..user_definitions import MISSING, answer, as_place
from ..visible_types import word
from .strings import common_methods
from .table import Method, attributes, declare, own_methods

# What holds bytes.
BYTES: tuple[type, ...] = (bytes, bytearray)


def made_bytes(*args: Any, **kwargs: Any) -> bytes:
    """bytes(): of a text, of so many zeros, or of numbers below 256."""
    source, *rest = args or (kwargs.pop("source", b""),)
    if type(source) is str:
        if not (rest or kwargs):
            raise TypeError("string argument without an encoding")
        return encoded(source, *rest, **kwargs)
    if rest or kwargs:
        raise TypeError("encoding without a string argument")
    if type(source) in BYTES:
        return bytes(source)
    told = answer(source, "__as_bytes__")
    if told is not MISSING:
        if not isinstance(told, bytes):
            raise TypeError(f"__bytes__ returned non-bytes (type {type(told).__name__})")
        return told
    source = as_place(source)
    if isinstance(source, int):
        fits(max(source, 0), "bytes")
        return bytes(source)
    return bytes(collected(iterate(source), "bytes"))


def made_bytearray(*args: Any, **kwargs: Any) -> bytearray:
    """bytearray(): bytes that can be written to."""
    return bytearray(made_bytes(*args, **kwargs))


def made_view(object: Any, /) -> memoryview:
    """memoryview(): the memory of bytes."""
    if type(object) not in (*BYTES, memoryview):
        raise TypeError(f"memoryview: a bytes-like object is required, not '{word(object)}'")
    return memoryview(object)


def _hex(self: Any, sep: Any = None, bytes_per_sep: Any = 1) -> str:
    fits(3 * len(self), "str")
    found: str = self.hex() if sep is None else self.hex(sep, whole(bytes_per_sep))
    return found


def _from_hex(kind: Any) -> Method:
    def fromhex(string: Any, /) -> Any:
        return kind.fromhex(string)

    return fromhex


def _append(self: bytearray, item: Any, /) -> None:
    fits(len(self) + 1, "bytearray")
    self.append(item)


def _extend(self: bytearray, items: Any, /) -> None:
    found = made_bytes(items) if type(items) not in (int, str) else collected(iterate(items))
    fits(len(self) + len(found), "bytearray")
    self.extend(found)


def _insert(self: bytearray, index: Any, item: Any, /) -> None:
    fits(len(self) + 1, "bytearray")
    self.insert(index, item)


_WRITING: dict[str, Method] = {
    **own_methods(bytearray, "clear copy pop remove reverse"),
    "append": _append, "extend": _extend, "insert": _insert,
}  # fmt: skip

for _kind, _writing in ((bytes, {}), (bytearray, _WRITING)):
    _table = declare(
        _kind,
        methods={
            **common_methods(_kind),
            "decode": lambda self, encoding="utf-8", errors="strict": decoded(self, encoding, errors),
            "hex": _hex,
            **_writing,
        },
    )
    _table.statics["fromhex"] = _from_hex(_kind)


def _bytes_in(self: memoryview) -> bytes:
    fits(self.nbytes, "bytes")
    return self.tobytes()


declare(
    memoryview,
    base=object,
    methods={**own_methods(memoryview, "cast hex release tolist toreadonly"), "tobytes": _bytes_in},
    fields=attributes("format itemsize nbytes ndim readonly shape strides"),
)
