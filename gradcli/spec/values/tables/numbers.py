"""Numbers and ranges."""

from __future__ import annotations

from typing import Any

from ...guard.size_limits import checked_int, fits, narrow, whole
from .byte_strings import made_bytes
from .table import attributes, declare, own_methods


def _to_bytes(self: int, length: Any = 1, byteorder: Any = "big", *, signed: Any = False) -> bytes:
    fits(whole(length), "bytes")
    return self.to_bytes(length, byteorder, signed=bool(signed))


def _bit_count(self: int) -> int:
    return narrow(self).bit_count()  # type: ignore[no-any-return]


def _from_bytes(bytes: Any, byteorder: Any = "big", *, signed: Any = False) -> int:
    return checked_int(int.from_bytes(made_bytes(bytes), byteorder, signed=bool(signed)))


_INT = declare(
    int,
    methods={
        **own_methods(int, "bit_length conjugate as_integer_ratio"), "bit_count": _bit_count, "to_bytes": _to_bytes,
    },
    fields=attributes("real imag numerator denominator"),
)
_INT.statics["from_bytes"] = _from_bytes
declare(bool, base=int)


def _ratio(self: float) -> tuple[int, int]:
    top, bottom = self.as_integer_ratio()
    return checked_int(top), checked_int(bottom)


def _rounded(self: float, ndigits: Any = None, /) -> Any:
    if ndigits is None:
        return checked_int(round(self))
    return round(self, whole(ndigits))


_FLOAT = declare(
    float,
    methods={**own_methods(float, "is_integer hex conjugate"), "as_integer_ratio": _ratio, "__round__": _rounded},
    fields=attributes("real imag"),
)
declare(complex, methods=own_methods(complex, "conjugate"), fields=attributes("real imag"))
_FLOAT.statics["fromhex"] = float.fromhex


def _range_index(self: range, value: Any) -> int:
    if not isinstance(value, int):
        value = _as_int(value)
    if value is None:
        raise ValueError("sequence.index(x): x not in sequence")
    return self.index(value)


def _range_count(self: range, value: Any) -> int:
    value = value if isinstance(value, int) else _as_int(value)
    return 0 if value is None else self.count(value)


def _as_int(value: Any) -> int | None:
    """The integer that a number equals: comparing it with every number of a range could take for ever."""
    return int(value) if isinstance(value, float) and value.is_integer() else None


declare(range, methods={"index": _range_index, "count": _range_count}, fields=attributes("start stop step"))
declare(slice, fields=attributes("start stop step"))
