"""Python's and NumPy's data as arrays, with the dtype and the shape that torch.tensor gives them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..errors import EngineError, EngineTypeError, EngineValueError
from . import dtypes
from .dtypes import B8, DTYPES, F32, F64, I64, known, wider
from .memory.layout import rounded, unwrapped
from .modes import mode
from .numeric.halves import converted
from .tensor import Array, Tensor

_NUMBERS = frozenset((float, int, bool, complex))

SUPPORTED = (
    "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
    "and bool"
)

NEGATIVE_STRIDES = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)


def as_array(data: Any, d: Any = None) -> Array:
    """A fresh array: Python floats take the default dtype, integers int64, and the rest keeps its own."""
    kind = type(data)
    if d is None and kind in _NUMBERS:
        return _number(data)
    if isinstance(data, Tensor):
        return unwrapped(np.array(data._a, subok=True) if d is None else converted(data._a, d))
    if isinstance(data, (np.ndarray, np.generic)):
        return unwrapped(_cast(np.array(shareable(data)), d))
    if kind is str or kind is bytes:
        raise EngineTypeError(f"new(): invalid data type '{kind.__name__}'")
    shape, items, kinds = _flat(data)
    if Tensor in kinds or not kinds <= _NUMBERS:
        inferred, items = _numbers(items)
        inferred = inferred or dtypes.default.float
    else:
        inferred = dtypes.default.float if float in kinds or not kinds else I64 if int in kinds else B8
        if complex in kinds:
            inferred = dtypes.default_complex()
    a = _filled(items, inferred if d is None else d)
    return unwrapped(a.reshape(shape))


def shareable(a: Any) -> Any:
    """An array of NumPy's that a tensor may share; others are refused."""
    if a.dtype not in DTYPES:
        if not a.dtype.isnative:
            raise EngineValueError(
                "given numpy array has byte order different from the native byte order. Conversion between byte "
                "orders is currently not supported."
            )
        raise EngineTypeError(
            f"can't convert np.ndarray of type numpy.{a.dtype.type.__name__}. The only supported types are: "
            f"{SUPPORTED}."
        )
    if any(s < 0 for s in a.strides):
        raise EngineValueError(NEGATIVE_STRIDES)
    # An array of its own: whoever gives the other another shape leaves the tensor as it is.
    return known(a.view())


def _number(x: Any) -> Any:
    """A Python number as a NumPy one."""
    if type(x) is float:
        d = dtypes.default.float
        return d.type(x) if d == F64 or (d == F32 and abs(x) < 1e38) else rounded(F64.type(x), d)
    if type(x) is bool:
        return np.bool_(x)
    if type(x) is complex:
        return dtypes.default_complex().type(x)
    try:
        return np.int64(x)
    except OverflowError:
        raise _overflow() from None


def _overflow() -> EngineValueError:
    return EngineValueError("Overflow when unpacking long long")


# -- nested sequences ------------------------------------------------------------------------


def _is_sequence(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return True
    return isinstance(x, (Sequence, np.ndarray)) and not isinstance(x, str)


def _flat(data: Any) -> tuple[list[int], list[Any], set[type]]:
    """The shape of nested sequences, read off the first of each level, their numbers, and the types of these."""
    shape: list[int] = []
    first = data
    while _is_sequence(first):
        shape.append(len(first))
        if not shape[-1]:
            break
        first = first[0]
    if isinstance(first, str):
        raise EngineValueError("too many dimensions 'str'")
    items: list[Any] = [data]
    if 0 in shape:
        # An empty list counts as one of floats.
        return shape, [], {float, *map(_type, _leaves(items))}
    for dim, n in enumerate(shape):
        for x in items:
            if not _is_sequence(x):
                _refuse(x)
                raise EngineTypeError("not a sequence")
            if len(x) != n:
                raise EngineValueError(f"expected sequence of length {n} at dim {dim} (got {len(x)})")
        items = list(chain.from_iterable(items))
    return shape, items, set(map(_type, items))


def _type(x: Any) -> type:
    return Tensor if isinstance(x, Tensor) else type(x)


def _leaves(items: list[Any]) -> list[Any]:
    """The values at any depth that are no sequences."""
    found: list[Any] = []
    while items:
        found += [x for x in items if not _is_sequence(x)]
        items = list(chain.from_iterable(x for x in items if _is_sequence(x)))
    return found


def _refuse(x: Any) -> None:
    """Refuse what is no number."""
    if isinstance(x, str):
        raise EngineTypeError("new(): invalid data type 'str'")
    if isinstance(x, Tensor):
        if x._a.size != 1:
            raise EngineValueError("only one element tensors can be converted to Python scalars")
    elif isinstance(x, np.generic):
        shareable(x)
    elif not isinstance(x, (float, int, complex)):
        raise EngineError(f"Could not infer dtype of {type(x).__name__}")


def _numbers(items: list[Any]) -> tuple[Any, list[Any]]:
    """The dtype of a mixture of Python's, NumPy's and tensors' numbers, and all of them as plain ones."""
    d: Any = None
    plain: list[Any] = []
    for x in items:
        if _is_sequence(x):
            numeric = "an integer" if d is None or d.kind != "f" else "a float"
            if numeric == "a float":
                raise EngineTypeError(f"must be real number, not {type(x).__name__}")
            raise EngineTypeError(f"'{type(x).__name__}' object cannot be interpreted as {numeric}")
        _refuse(x)
        if isinstance(x, Tensor):
            own = x._a.dtype
            if mode.samples and mode.tape is not None:
                # A number of one sample is none of the batch.
                mode.tape.escaped(x, "number")
            x = x._a.item()
        elif isinstance(x, np.generic):
            own = x.dtype
            x = x.item()
        else:
            own = B8 if isinstance(x, bool) else I64 if isinstance(x, int) else dtypes.default.float
            if isinstance(x, complex):
                own = dtypes.default_complex()
        d = own if d is None or d == own else wider(d, own)
        plain.append(x)
    return d, plain


def _filled(items: list[Any], d: Any) -> Array:
    """Python numbers as an array of a dtype."""
    if d.kind == "c":
        return np.array(items, d)
    if complex in map(type, items) and d != B8:
        if d.kind == "f":
            raise EngineTypeError("must be real number, not complex")
        raise EngineTypeError("'complex' object cannot be interpreted as an integer")
    if d.kind == "f":
        with np.errstate(over="ignore"):
            return rounded(np.array(items, F64 if d.itemsize == 2 else d), d)
    if d == B8:
        return np.array([bool(x) for x in items], d)
    fractions = any(type(x) is float for x in items)
    if d == dtypes.uint64.np and not fractions:
        return np.array([_word(x) for x in items], d)
    try:
        a = np.array(items, F64 if fractions else I64)
    except OverflowError:
        raise _overflow() from None
    return a if a.dtype == d else _within(a, d).astype(d)


def _word(x: int) -> int:
    """A whole number of 64 bits, none of them a sign."""
    if x < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if x >= 2**64:
        raise OverflowError("int too big to convert")
    return x


def _within(a: Array, d: Any) -> Array:
    """``a``, if its numbers have a place in an integer dtype."""
    if a.size:
        limits = np.iinfo(d)
        # Negative integers wrap around in an unsigned dtype.
        least = -limits.max if limits.min == 0 and a.dtype.kind == "i" else limits.min
        if not (least <= a.min() and a.max() <= limits.max):
            raise EngineError(f"value cannot be converted to type {DTYPES[d].name} without overflow")
    return a


def _cast(a: Array, d: Any) -> Array:
    if d is None or a.dtype == d:
        return a
    with np.errstate(all="ignore"):
        return rounded(a, d) if a.dtype == F64 and d.kind == "f" else converted(a, d)
