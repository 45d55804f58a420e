"""bfloat16: arrays whose numbers have eight digits in base two, kept in the upper half of single precision.

NumPy has no such element type. A `Brain` array holds single precision of which the lower sixteen bits are zero, and
rounds to that whatever NumPy computes of it; to everybody else its ``dtype`` is BF16.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

_F32 = np.dtype("float32")
MAX = 2.0**128 - 2.0**120


class Limits(NamedTuple):
    """The precision and the range, by the names that `np.finfo` gives them."""

    bits: int = 16
    eps: float = 2.0**-7
    max: float = MAX
    min: float = -MAX
    tiny: float = 2.0**-126
    precision: int = 2
    nmant: int = 7


class _BFloat16:
    """The element type: what the engine asks of NumPy's. NumPy itself does not take it for one, and says so."""

    __slots__ = ()

    kind, name, itemsize = "f", "bfloat16", 2

    def type(self, number: Any) -> Brain:
        """A number, as a 0-d array."""
        return rounded(_F32.type(number))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"dtype('{self.name}')"

    def __reduce__(self) -> str:
        return "BF16"


BF16: Any = _BFloat16()


class _Computed:
    """A method of NumPy's arrays that makes others, computed in single precision."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, a: Any, owner: type) -> Any:
        return functools.partial(self._called, a)

    def _called(self, a: Any, *args: Any, **kwargs: Any) -> Any:
        plain = {key: in_single(x) for key, x in kwargs.items()}
        return _held(getattr(in_single(a), self.name)(*in_single(args), **plain))


class Brain(np.ndarray[Any, Any]):
    """An array of bfloat16."""

    dtype = property(lambda self: BF16)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        """Compute in single precision, and round the result."""
        if ufunc is np.nextafter:
            return _next(*map(in_single, inputs))
        plain = [_weak(x) if isinstance(x, np.generic) else in_single(x) for x in inputs]
        if kwargs.get("dtype") is BF16:
            kwargs["dtype"] = _F32
        if "where" in kwargs and isinstance(kwargs["where"], Brain):
            kwargs["where"] = in_single(kwargs["where"])
        if out is not None:
            kwargs["out"] = tuple(in_single(x) for x in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        if out is not None or method == "at":
            written = out or inputs[:1]
            for x in written:
                _round_in_place(x)
            return None if method == "at" else written[0] if len(written) == 1 else written
        if any(isinstance(x, np.ndarray) and not isinstance(x, Brain) and x.dtype.kind in "fc" for x in inputs):
            return result
        return _held(result)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Call a function of NumPy's with single precision, and round what it gives."""
        del types
        result = function(*in_single(args), **{name: in_single(x) for name, x in kwargs.items()})
        if result is None:
            for x in args:
                _round_in_place(x)
        return _held(result)

    def __getitem__(self, key: Any) -> Any:
        found = in_single(self)[in_single(key)]
        return found.view(Brain) if isinstance(found, np.ndarray) else rounded(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        in_single(self)[in_single(key)] = in_single(rounded(value))

    def fill(self, value: Any) -> None:
        """Put one number everywhere."""
        in_single(self).fill(in_single(rounded(value))[()])

    all, any, argmax, argmin, argpartition, argsort, clip, cumprod, cumsum, dot = (_Computed() for _ in range(10))
    mean, nonzero, prod, round, searchsorted, std, sum, trace, var = (_Computed() for _ in range(9))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """A copy in another element type."""
        if dtype is BF16:
            return in_single(self).astype(_F32, *args, **kwargs).view(Brain)
        return in_single(self).astype(dtype, *args, **kwargs)


def rounded(x: Any) -> Brain:
    """Numbers as bfloat16, by way of single precision: halfway between two, the even one."""
    with np.errstate(over="ignore", invalid="ignore"):
        single = np.asarray(in_single(x), _F32)
    bits = single.view(np.uint32)
    upper = np.asarray(bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))))
    # A number that is none must not become an infinite one.
    np.copyto(upper, np.uint32(0x7FC00000), where=np.isnan(single))
    upper &= np.uint32(0xFFFF0000)
    return upper.view(_F32).view(Brain)


def in_single(x: Any) -> Any:
    """Arrays of bfloat16, also those in sequences, as the single precision that they are; everything else as it is."""
    if isinstance(x, Brain):
        return x.view(np.ndarray)
    if x is BF16:
        return _F32
    if type(x) in (list, tuple):
        return type(x)(in_single(y) for y in x)
    return x


def _weak(x: Any) -> Any:
    """A number of NumPy's as one of Python's, which decides nothing."""
    return x.item() if x.dtype.kind in "fc" else x


def _held(x: Any) -> Any:
    """Round numbers that were computed of bfloat16; those that are round already stay in their memory."""
    if isinstance(x, (tuple, list)):
        made = [_held(y) for y in x]
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    if isinstance(x, np.dtype):
        return BF16 if x == _F32 else x
    if not isinstance(x, (np.ndarray, np.generic)) or x.dtype.kind != "f":
        return x
    if isinstance(x, np.ndarray) and x.dtype == _F32 and not (x.view(np.uint32) & np.uint32(0xFFFF)).any():
        return x.view(Brain)
    return rounded(x)


def _round_in_place(x: Any) -> None:
    if isinstance(x, Brain):
        in_single(x)[...] = in_single(rounded(x))


def _next(x: Any, towards: Any) -> Brain:
    """The number next to another, which is sixteen bits away in single precision."""
    x, towards = np.broadcast_arrays(x, towards)
    bits = x.astype(_F32).view(np.int32)
    outwards = (x < towards) == (x > 0)
    step = np.where(outwards, 1 << 16, -1 << 16)
    step[(x == towards) | np.isinf(x) & outwards] = 0
    least = np.copysign(_F32.type(2.0**-133), towards)
    found = np.where((x == 0) & (towards != 0), least, (bits + step).astype(np.int32).view(_F32))
    found = np.where(np.isnan(x) | np.isnan(towards), np.nan, found)
    return rounded(found)


def whole_of(a: Any) -> Any:
    """The array whose memory an array is a part of."""
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def memory_of(a: Any) -> Any:
    """The single precision that an array of bfloat16 is a part of."""
    return in_single(whole_of(a))


def viewed(forward: Any, a: Brain, *args: Any) -> Any:
    """The view, or the views, that a function gives of the same memory."""
    made = forward(a.view(np.ndarray), *args)
    if isinstance(made, (tuple, list)):
        return type(made)(x.view(Brain) for x in made)
    return made.view(Brain) if isinstance(made, np.ndarray) else rounded(made)
