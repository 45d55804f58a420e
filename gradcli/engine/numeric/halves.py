"""Half precision: computed in single precision, as PyTorch does on CPUs, and rounded once at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...errors import EngineError, EngineNotImplementedError
from ..dtypes import F16, F32, dtype
from .bfloat16 import BF16 as BF16, Brain as Brain, in_single, rounded

# So many numbers in half precision go into the vectors that PyTorch's kernels compute with.
VECTORS = 32


def is_half(d: Any) -> bool:
    """Tell whether an element type is one of half precision."""
    return d is BF16 or d is F16


def half_among(values: Iterable[Any]) -> Any:
    """The half precision that one of some arrays and numbers is in, or None."""
    types = (x.dtype for x in values if isinstance(x, (np.ndarray, np.generic)))
    return next((d for d in types if is_half(d)), None)


def are_half(x: Any) -> bool:
    """Tell whether an array, or a number of NumPy's, is in half precision."""
    kind = type(x)
    return kind is Brain or (kind is np.ndarray and x.dtype is F16)


def of_arrays(in_half: Callable[..., Any], forward: Callable[..., Any], *args: Any) -> Any:
    """The result of a forward of which an operand is in half precision, and none more than a number in a wider one."""
    types = [x.dtype for x in args if isinstance(x, np.ndarray) and (x.ndim or isinstance(x, Brain))]
    floats = [d for d in types if d.kind in "fc"]
    if in_half is like_the_first or all(is_half(d) for d in floats):
        return in_half(forward, next(filter(is_half, floats), F16), *args)
    return forward(*map(raised, args))


def way(op: Any) -> Callable[..., Any]:
    """The way in which an op is computed in half precision, called with its forward, the precision and operands."""
    if op.no_half:
        return _refused(op.no_half)
    if op.half_numbers:
        return times_a_number if op.own_precision else beside_a_number
    return like_the_first if op.mixed else alone if op.own_precision else computed


def _refused(words: str) -> Callable[..., Any]:
    """Refuse half precision in PyTorch's words: the name of a kernel, or a sentence."""
    sentence = words if " " in words else f"\"{words}\" not implemented for '{{}}'"
    kind = EngineError if " " in words else EngineNotImplementedError

    def refuse(forward: Callable[..., Any], d: Any, *args: Any) -> Any:
        raise kind(sentence.replace("{}", "BFloat16" if d is BF16 else "Half"))

    return refuse


def alone(forward: Callable[..., Any], d: Any, *args: Any) -> Any:
    """The result of a forward each of whose steps is rounded; numbers beside it are in single precision."""
    found = forward(*args)
    return found if any(_chooses(x, d) for x in args) else lowered(found, d)


def computed(forward: Callable[..., Any], d: Any, *args: Any) -> Any:
    """The result of a forward whose operands are in half precision, in that precision.

    A forward that is told an element type chooses the precision itself, and so does one with operands of several.
    """
    if any(_chooses(x, d) for x in args):
        return forward(*args)
    return lowered(forward(*map(raised, args)), d)


def in_vectors(forward: Callable[..., Any], d: Any, *args: Any) -> Any:
    """The result of a forward whose steps are rounded only where they are computed a number at a time.

    PyTorch's kernels compute in whole vectors along what lies side by side, rounding once, and what is left one by one.
    """
    made = computed(forward, d, *args)
    if not made.ndim:
        return alone(forward, d, *args)
    rows, *operands = [x.T if isinstance(x, np.ndarray) and not made.flags.c_contiguous else x for x in (made, *args)]
    shaped = [isinstance(x, np.ndarray) and x.ndim > 0 for x in operands]
    arrays = [x for x, has_axes in zip(operands, shaped, strict=True) if has_axes]
    if all(x.shape == rows.shape and x.flags.c_contiguous for x in (rows, *arrays)):
        # All of it lies side by side.
        rows = rows.reshape(-1)
        operands = [x.reshape(-1) if has_axes else x for x, has_axes in zip(operands, shaped, strict=True)]
    left = rows.shape[-1] % VECTORS
    if left:
        ends = [x[..., -left:] if has and x.shape[-1] > 1 else x for x, has in zip(operands, shaped, strict=True)]
        rows[..., -left:] = alone(forward, d, *ends)
    return made


def beside_a_number(forward: Callable[..., Any], d: Any, x: Any, *numbers: Any) -> Any:
    """The result of a forward in half precision, to which the numbers beside it are rounded first."""
    return computed(forward, d, x, *[_in_half(n, d) for n in numbers])


def times_a_number(forward: Callable[..., Any], d: Any, a: Any, b: Any, factor: Any = 1) -> Any:
    """The result of a sum in half precision, where a factor that is none is not in the way."""
    if type(factor) is int and factor == 1:
        return alone(forward, d, a, b)
    return in_vectors(forward, d, a, b, _in_half(factor, d))


def _in_half(n: Any, d: Any) -> Any:
    # Whole numbers as small as these have no more bits.
    return float(d.type(n)) if type(n) is float or (type(n) is int and abs(n) > 256) else n


def like_the_first(forward: Callable[..., Any], d: Any, *args: Any) -> Any:
    """The results of a forward whose parameters may be in single precision: the first is in half all the same."""
    found = forward(*map(raised, args))
    if any(isinstance(x, np.ndarray) and x.dtype is F32 for x in args):
        return (lowered(found[0], d), *found[1:])
    return lowered(found, d)


def _chooses(x: Any, d: Any) -> bool:
    if type(x) in (list, tuple):
        return any(_chooses(y, d) for y in x)
    other = isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.dtype is not d
    # What is asked for in single precision is not to be rounded.
    return other or isinstance(x, np.dtype) or x is BF16 or (type(x) is dtype and x.np is F32)


def raised(x: Any) -> Any:
    """Numbers in half precision, also those in sequences, in single precision; everything else as it is."""
    if isinstance(x, Brain):
        return in_single(x)
    if isinstance(x, (np.ndarray, np.generic)):
        return x.astype(F32) if x.dtype is F16 else x
    if type(x) in (list, tuple):
        return type(x)(map(raised, x))
    return x


def lowered(x: Any, d: Any) -> Any:
    """Numbers in single precision, also those in sequences, in half precision ``d``; everything else as it is."""
    if isinstance(x, (np.ndarray, np.generic)):
        if x.dtype is not F32:
            return x
        if d is BF16:
            return rounded(x)
        with np.errstate(over="ignore"):
            return x.astype(F16)
    if isinstance(x, (list, tuple)):
        made = [lowered(y, d) for y in x]
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    return x


def converted(a: Any, d: Any, order: Any = "K") -> Any:
    """A copy in any element type, bfloat16 among them; by way of single precision where it is a half."""
    if d is not BF16:
        return a.astype(d, order) if isinstance(a, np.ndarray) else a.astype(d)
    if isinstance(a, Brain):
        return a.astype(d, order)
    return rounded(a.astype(F32, order) if isinstance(a, np.ndarray) else a)
