"""Helpers for forwards and rules of several families: comparisons that know complex readings, axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import EngineTypeError
from ..modes import mode, no_grad
from ..properties import no_such_axis
from ..tensor import Array, Value


def re(a: Array) -> Array:
    """The real part of an array: what decides a branch. The imaginary part only follows it."""
    return a.real if hasattr(a, "dtype") and getattr(a.dtype, "kind", "") == "c" else a


def gt(x: Value, y: Value) -> Value:
    """x > y, by real parts."""
    return re(x) > re(y)


def ge(x: Value, y: Value) -> Value:
    """x >= y, by real parts."""
    return re(x) >= re(y)


def lt(x: Value, y: Value) -> Value:
    """x < y, by real parts."""
    return re(x) < re(y)


def le(x: Value, y: Value) -> Value:
    """x <= y, by real parts."""
    return re(x) <= re(y)


def eq(x: Value, y: Value) -> Value:
    """x == y, by real parts."""
    return re(x) == re(y)


def unlike(*arrays: Array) -> bool:
    """Tell whether arrays are of several element types. A reading, a value with a direction, goes with any."""
    first = arrays[0].dtype
    for a in arrays:
        if a.dtype is not first and a.dtype != first:
            return mode.of_complex or all(x.dtype.kind != "c" for x in arrays)
    return False


def scaled(g: Value, factor: Any) -> Value:
    """``g * factor``, with nothing recorded for a factor of 1."""
    return g if isinstance(factor, (int, float)) and factor == 1 else g * factor


def raise_as_if_not(x: Value, least: float) -> None:
    """Raise what is less to ``least``, in place; its gradient is that of what was not raised."""
    if mode.tape is not None and np.any(re(x._a) < least):
        mode.tape.raised(x)
    with no_grad():
        x.clamp_min_(least)


def axis(dim: Any, ndim: int) -> int:
    """An axis counted from the front, or PyTorch's error."""
    i = dim if type(dim) is int else _whole(dim)
    limit = max(ndim, 1)
    if not -limit <= i < limit:
        raise no_such_axis(i, limit)
    return i + limit if i < 0 else i


def _whole(dim: Any) -> int:
    """The number of an axis that is no plain int: a tensor's or NumPy's, but no bool and nothing with a fraction."""
    if isinstance(dim, (bool, float, str)) or dim is None:
        raise EngineTypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
    return int(dim)


def axes(dim: Any, ndim: int) -> tuple[int, ...]:
    """Axes counted from the front, each once; all of them for None or an empty list."""
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, int):
        return (axis(dim, ndim),) if ndim else (axis(dim, ndim),)[:0]
    found: list[int] = []
    for d in dim:
        i = axis(d, ndim)
        if i in found:
            raise _twice(i)
        found.append(i)
    return tuple(found) if found else tuple(range(ndim))


def _twice(dim: int) -> Exception:
    from ...errors import EngineError

    return EngineError(f"dim {dim} appears multiple times in the list of dims")
