"""The bounds of whole random numbers: what fits into a dtype."""

from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy as np

from ....errors import EngineValueError
from ...call_errors import fail
from ...dtypes import limits_of
from .filled import invalid, number


def bounds(name: str, low: Any, high: Any, args: tuple[Any, ...]) -> tuple[int, int]:
    """Two arguments that are to be ints of 64 bits."""
    found = []
    for x in (low, high):
        x = number(x)
        if not isinstance(x, int):
            raise invalid(name, args, {})
        if not -(2**63) <= x < 2**63:
            raise EngineValueError("Overflow when unpacking long long")
        found.append(builtins.int(x))
    return found[0], found[1]


KINDS = {"uint8": "unsigned char", "int8": "signed char", "int16": "short", "int32": "int", "int64": "long int",
          "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
         "bool": "bool"}  # fmt: skip


def span(low: int, high: int, d: Any) -> tuple[int, int]:
    """The bounds of whole numbers, if they have a place in the dtype."""
    if low >= high:
        fail(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if d.kind == "f" and max(abs(low), abs(high)) <= limits_of(d).max:
        low, high = rounded_up(low, d), _rounded_down(high, d)
        if low >= high:
            fail(
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                f"from={low} >= to={high}"
            )
    check_limits((("from", low), ("to - 1", high - 1)), d)
    return low, high


def check_limits(limits: tuple[tuple[str, int], ...], d: Any) -> None:
    """Refuse bounds that a dtype has no place for, and warn of those that it cannot tell from others."""
    if d.kind == "b":
        least, most = 0, 1
    elif d.kind == "f":
        most = builtins.int(limits_of(d).max)
        least = -most
    else:
        least, most = np.iinfo(d).min, np.iinfo(d).max
    for name, x in limits:
        if not least <= x <= most:
            fail(f"{name} is out of bounds for {KINDS[d.name]}")
    if d.kind == "f":
        bits = limits_of(d).nmant + 1
        for name, x in limits:
            if not -(2**bits) <= x <= 2**bits:
                warnings.warn(
                    f"{name} is out of bounds [-(2^{bits}), 2^{bits}]. Due to precision limitations "
                    f"{KINDS[d.name]} can support discrete uniform distribution only within this range. This "
                    "warning will become an error in version 1.7 release, please fix the code in advance",
                    UserWarning,
                    stacklevel=4,
                )


def rounded_up(low: int, d: Any) -> int:
    """``low``, or the next number that the dtype has above it."""
    after = builtins.int(d.type(low + 1))
    if after < low:
        low = after + (1 << (abs(low + 1).bit_length() - limits_of(d).nmant - 1))
    return low


def _rounded_down(high: int, d: Any) -> int:
    """``high``, or the next number that the dtype has below it."""
    before = builtins.int(d.type(high - 1))
    if before >= high:
        high = before - (1 << (abs(high - 1).bit_length() - limits_of(d).nmant - 1))
    return high
