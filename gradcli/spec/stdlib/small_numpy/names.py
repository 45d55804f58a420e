"""The module `numpy`: its names, and the functions that make arrays or go through them element by element."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.costs.estimate import Estimate, multiplied
from ...guard.costs.multiplying import matmul
from ...guard.size_limits import caps, collected, fits, whole
from ...values.classes.sealed_classes import sealed
from ..iteration import iterate
from . import array_api
from .arguments import (
    Function,
    Table,
    array_of,
    choice_of,
    choices_of,
    number,
    number_or_array,
    of_one,
    order_of,
    room,
    split_at,
    wrapped_as,
)
from .counts import of_counts
from .error_states import geterr, seterr
from .layout import of_layout
from .making import NUMBER_CLASSES, of_making
from .number_types import Precision, Whole, element_type_of, of_types
from .other_arrays import taking_others
from .parts import of_parts
from .polynomials import of_polynomials
from .quiet import quiet
from .shown import of_texts
from .text_functions import taking_texts
from .ufuncs import with_methods
from .waves import windows

_EACH = (
    "abs absolute add allclose arccos arcsin arctan arctan2 ceil clip cos cosh deg2rad divide equal exp exp2 expm1 "
    "floor greater greater_equal isclose isfinite isinf isnan less less_equal log log10 log1p log2 logical_and "
    "logical_not logical_or maximum minimum mod multiply negative not_equal power reciprocal rad2deg round sign "
    "sin sinh sqrt square subtract tan tanh true_divide where "
    "arccosh arcsinh arctanh cbrt copysign degrees fmax fmin fmod floor_divide heaviside hypot invert logaddexp "
    "bitwise_and bitwise_or bitwise_xor nextafter radians remainder signbit sinc trunc fix angle real imag conj "
    "fabs gcd lcm left_shift right_shift conjugate divmod float_power frexp iscomplex isneginf isposinf isreal ldexp "
    "logaddexp2 logical_xor modf positive spacing"
)
_WHOLE = (
    "all any argmax argmin argsort array_equal average count_nonzero cumprod cumsum ediff1d expand_dims flip "
    "max mean median min prod sort squeeze std sum transpose unique var "
    "amax amin argwhere around flatnonzero fliplr flipud moveaxis nan_to_num nanmax "
    "nanargmax nanargmin nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndim nonzero "
    "percentile ptp quantile real_if_close rint roll shape size sort_complex swapaxes trace tril triu unwrap"
)
_SAME = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert", "bitwise_right_shift": "right_shift", "conj": "conjugate", "concat": "concatenate",
    "mod": "remainder", "permute_dims": "transpose", "pow": "power", "true_divide": "divide",
}  # fmt: skip
_JOINING = "column_stack concat concatenate hstack stack vstack"


def _each(name: str) -> Function:
    """A function that goes through its arguments element by element, broadcast together."""
    function = getattr(np, name)
    # Others make arrays of what they are given.
    wraps = isinstance(function, np.ufunc) or name in ("clip", "round")

    def call(*args: Any, **kwargs: Any) -> Any:
        read: tuple[Any, ...] = tuple([a if a is None and name == "clip" else number_or_array(a) for a in args])
        room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in read])))
        found = function(*read, **choices_of(kwargs))
        return wrapped_as(args, found) if wraps else found

    return call


def _of_each(name: str) -> Function:
    """A function of one array, or of several, each by itself."""
    function = getattr(np, name)

    def call(*arrays: Any) -> Any:
        given = [array_of(a) for a in arrays]
        room(sum(a.size for a in given))
        return function(*given)

    return call


def _joined(name: str) -> Function:
    function = getattr(np, name)

    def call(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        parts = [array_of(a) for a in collected(iterate(arrays))]
        room(sum(a.size for a in parts))
        return function(parts, *map(choice_of, args), **choices_of(kwargs))

    return call


def _laid_out(name: str) -> Function:
    """A function that reads an array in the order that a letter says."""
    function = getattr(np, name)

    def call(a: Any, *shape: Any, order: Any = "C") -> Any:
        array = array_of(a)
        room(array.size)
        if len(shape) > (name == "reshape"):
            *shape, order = shape  # type: ignore[assignment]
        sizes = [tuple([whole(n) for n in iterate(one)]) if np.ndim(one) else whole(one) for one in shape]
        return function(array, *sizes, order=order_of(order))

    return call


def _product(name: str) -> Function:
    function = getattr(np, name)

    def call(a: Any, b: Any) -> Any:
        a, b = array_of(a), array_of(b)
        if name == "dot" and not (a.ndim and b.ndim):
            room(a.size * b.size)
            return function(a, b)
        found = matmul(a, b)
        if name == "dot":
            # Each row with each column, whatever stands before them.
            inner = max(1, a.shape[-1])
            found = Estimate(a.size * b.size // inner**2, multiplied(a, a.size * b.size // inner))
        caps.spend(max(found.elements, a.size, b.size), found.work)
        return function(a, b)

    return call


def _einsum(subscripts: Any, /, *operands: Any, optimize: Any = False) -> Any:
    if not isinstance(subscripts, str):
        return _einsum(*_in_letters((subscripts, *operands)), optimize=optimize)
    arrays = [array_of(a) for a in operands]
    fits(len(subscripts), "str")
    words = "".join(subscripts.split())
    sizes: dict[str, int] = {}
    for term, a in zip(words.partition("->")[0].split(","), arrays, strict=False):
        # Of what the dots stand for, all of it at its own letter, which is the most that it can be.
        before, dots, after = term.partition("...")
        rest = a.ndim - len(before) - len(after)
        names = [*before, *(f"{n}." for n in range(rest, 0, -1) if dots), *after]
        for name, n in zip(names, a.shape, strict=False):
            sizes[name] = max(n, sizes.get(name, 1))
    work = math.prod(sizes.values())
    output = words.partition("->")[2]
    made = math.prod(n for name, n in sizes.items() if name[-1] == "." or "->" not in words or name in output)
    caps.spend(max([made, *(a.size for a in arrays)]), work * max(1, len(arrays)))
    return np.einsum(words, *arrays, optimize=optimize if optimize in ("greedy", "optimal") else bool(optimize))


def _in_letters(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of einsum() as a text and arrays, of arrays that are each followed by the numbers of their axes."""
    pairs, last = given[: len(given) // 2 * 2], given[len(given) // 2 * 2 :]
    terms = ["".join(map(_letter, iterate(axes))) for axes in pairs[1::2]]
    output = "".join(["->", *map(_letter, iterate(last[0]))]) if last else ""
    return (",".join(terms) + output, *pairs[::2])


def _letter(axis: Any) -> str:
    number = -1 if axis is ... else whole(axis)
    if axis is not ... and not 0 <= number < 52:
        raise ValueError("subscript is not within the valid range [0, 52)")
    return "..." if axis is ... else chr(ord("A") + number if number < 26 else ord("a") + number - 26)


def _diag(v: Any, k: Any = 0) -> Any:
    a = array_of(v)
    room((a.size + abs(whole(k))) ** (3 - a.ndim) if a.ndim in (1, 2) else a.size)
    return np.diag(a, k)


def _outer(a: Any, b: Any) -> Any:
    a, b = array_of(a), array_of(b)
    room(a.size * b.size)
    return np.outer(a, b)


def _tile(A: Any, reps: Any) -> Any:
    a = array_of(A)
    times = tuple([whole(n) for n in reps]) if isinstance(reps, (list, tuple)) else (whole(reps),)
    # NumPy goes from place to place: what a 0 leaves nothing of was made before.
    room(a.size * math.prod(max(n, 1) for n in times))
    return np.tile(a, times)


def _repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    a, times = array_of(a), array_of(repeats)
    room(a.size * max(1, int(times.max(initial=0))))
    return np.repeat(a, times, axis)


def _pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    a, widths = array_of(array), array_of(pad_width)
    room(math.prod(n + 2 * int(widths.max(initial=0)) for n in a.shape))
    if mode in ("edge", "reflect", "symmetric", "wrap"):
        # Those that go back and forth do so as often as the array is shorter than what is added.
        room(a.size, 1 + int(widths.max(initial=0)))
        return np.pad(a, widths, mode)
    if mode != "constant":
        raise SpecError(f"numpy.pad(mode={mode!r}) is not in the spec language", help="pad with a constant")
    return np.pad(a, widths, constant_values=number(constant_values))


def _split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    a = array_of(ary)
    return np.array_split(a, split_at(a, indices_or_sections), axis)


def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    a, b = array_of(arr), array_of(values)
    room(a.size + b.size)
    return np.append(a, b, axis)


@cache
def numpy() -> Table:
    """The names of the module `numpy`."""
    classes: list[type] = [np.ndarray, *NUMBER_CLASSES, np.generic, np.number, np.integer, np.floating]
    table: Table = {cls.__name__: sealed(cls) for cls in classes}
    table.update({"bool_": sealed(np.bool_), "object_": sealed(np.object_)})
    table.update({"newaxis": None, "__version__": np.__version__})
    table.update({name: getattr(np, name) for name in ("pi", "e", "euler_gamma", "inf", "nan")})
    table["finfo"], table["iinfo"] = Precision, Whole
    made: dict[str, Function] = {
        "diag": _diag, "outer": _outer, "tile": _tile, "repeat": _repeat, "pad": _pad, "array_split": _split,
        "append": _append, "einsum": _einsum,
    }  # fmt: skip
    table.update(double=sealed(np.float64), int_=sealed(np.int64), single=sealed(np.float32), half=sealed(np.float16))
    table.update(intp=sealed(np.int64), longlong=sealed(np.int64), ubyte=sealed(np.uint8), intc=sealed(np.int32))
    table.update(long=sealed(np.int64), short=sealed(np.int16), byte=sealed(np.int8), ushort=sealed(np.uint16))
    table.update(uintc=sealed(np.uint32), csingle=sealed(np.complex64), cdouble=sealed(np.complex128))
    table.update(complexfloating=sealed(np.complexfloating), unsignedinteger=sealed(np.unsignedinteger))
    table.update(inexact=sealed(np.inexact), signedinteger=sealed(np.signedinteger), True_=np.True_, False_=np.False_)
    made.update({name: _each(name) for name in f"{_EACH} {array_api.EACH}".split()})
    made.update({name: of_one(name) for name in f"{_WHOLE} {array_api.WHOLE}".split()})
    made.update({name: _of_each(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")})
    made.update({name: _joined(name) for name in _JOINING.split()})
    made.update({name: _product(name) for name in ("dot", "matmul")})
    made.update({name: _laid_out(name) for name in ("ravel", "reshape")})
    for made_in in (
        array_api.of_standard, of_counts, of_layout, of_making, of_parts, of_polynomials, of_texts, of_types, windows,
    ):  # fmt: skip
        made.update(made_in())
    table.update(dtype=element_type_of, geterr=geterr, seterr=seterr)
    functions = {name: taking_others(name, taking_texts(name, quiet(name, f))) for name, f in made.items()}
    # Of these NumPy has one function under several names.
    functions |= {name: functions[own] for name, own in _SAME.items()}
    with_methods(functions)
    return {**table, **functions}
