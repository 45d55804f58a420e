"""The module `numpy`: its names, and the functions that make arrays or go through them element by element."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.costs.estimate import Estimate, multiplied
from ...guard.costs.multiplying import matmul
from ...guard.size_limits import CONSTRUCTORS, caps, collected, fits, whole
from ...values.classes.sealed_classes import sealed
from ...values.element_types import NAMES, element_type, holds_objects, holds_records
from ...values.tables.byte_strings import BYTES
from ...values.text_arrays import holds_none
from ...values.user_definitions import ARRAYING, UserType, hook_of
from ...values.visible_types import word
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
    size_of,
    split_at,
    wrapped_as,
)
from .counts import of_counts
from .error_states import geterr, seterr
from .number_types import Precision, Whole, element_type_of, of_types
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
    "amax amin argwhere around copy flatnonzero fliplr flipud moveaxis nan_to_num nanmax "
    "nanargmax nanargmin nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndim nonzero "
    "percentile ptp quantile real_if_close rint roll shape size swapaxes trace tril triu unwrap"
)
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


def _einsum(subscripts: Any, /, *operands: Any) -> Any:
    if not isinstance(subscripts, str):
        raise SpecError("numpy.einsum() takes its subscripts as a text here", help="write them as 'ij,jk->ik'")
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
    return np.einsum(words, *arrays)


# -- arrays that are made ------------------------------------------------------------------------


def _array(object: Any, dtype: Any = None, *, copy: Any = True, ndmin: Any = 0) -> Any:
    object = _as_objects(object)
    if holds_objects(dtype) or (dtype is None and (isinstance(object, _OfObjects) or holds_none(object))):
        return caps.library("_objects")["made"](object)
    found = array_of(object)
    room(found.size)
    kept = copy if copy is None or isinstance(object, np.ndarray) else True
    return np.array(found, dtype=element_type(dtype), copy=kept if kept is None else bool(kept), ndmin=whole(ndmin))


def _as_array(name: str) -> Function:
    """A function that gives an array as it is, and makes one of all else."""
    function = getattr(np, name)

    def call(a: Any, dtype: Any = None) -> Any:
        a = _as_objects(a)
        if isinstance(a, _OfObjects) and (dtype is None or holds_objects(dtype)):
            return a
        if holds_objects(dtype) or (dtype is None and holds_none(a)):
            return _array(a, dtype)
        found = array_of(a)
        room(found.size)
        return function(found, dtype=element_type(dtype))

    return call


def _from_buffer(buffer: Any, dtype: Any = float, count: Any = -1, offset: Any = 0) -> Any:
    """The numbers that bytes stand for, in the memory of those."""
    if type(buffer) not in (*BYTES, memoryview) and not isinstance(buffer, np.ndarray):
        raise TypeError(f"a bytes-like object is required, not '{word(buffer)}'")
    return np.frombuffer(buffer, element_type(dtype), whole(count), whole(offset))


def _numbers_of(cls: type) -> Function:
    """Return the function that a program calls by the name of a class of numbers."""
    of = np.dtype(cls)
    return lambda value=0: array_of(float(value) if isinstance(value, str) else value).astype(of)[()]


_NUMBER_CLASSES = [np.dtype(name).type for name in NAMES]
for _class in _NUMBER_CLASSES:
    CONSTRUCTORS[sealed(_class)] = quiet(_class.__name__, _numbers_of(_class))


def _filled(name: str, item: Any) -> Function:
    """A function that makes an array of numbers, or one that holds an item in each place."""
    function = getattr(np, name)

    def call(shape: Any, dtype: Any = None) -> Any:
        if holds_objects(dtype):
            return caps.library("_objects")["filled"](shape, item)
        if holds_records(dtype):
            return caps.library("_records")["filled"](shape, dtype, item or 0)
        return function(size_of(shape), dtype=element_type(dtype))

    return call


# Those that are written for arrays of objects, too.
_OF_OBJECTS = frozenset(
    "unique concatenate hstack vstack column_stack where isin sort argsort ravel reshape squeeze shape ndim size "
    "transpose copy sum mean array_equal".split()
)


class _Instances(type):
    home: str

    def __instancecheck__(cls, value: Any) -> bool:
        kind = type(value)
        return kind.__name__ == "ndarray" and isinstance(kind, UserType) and kind is caps.library(cls.home)["ndarray"]


# And those for arrays of records.
_OF_RECORDS = frozenset("sort argsort copy concatenate hstack zeros_like empty_like shape ndim size".split())


def _are_records(value: Any) -> bool:
    """Tell whether a value is an array of records, or a list that begins with one."""
    return isinstance(value[0] if isinstance(value, (list, tuple)) and value else value, _OfRecords)


class _OfObjects(metaclass=_Instances):
    """The arrays that hold anything, whose class is written in the spec language."""

    home = "_objects"


class _OfRecords(metaclass=_Instances):
    """Those of records."""

    home = "_records"


sealed(np.ndarray).kin = (*sealed(np.ndarray).kin, _OfObjects, _OfRecords)


def _as_objects(value: Any) -> Any:
    """The array of objects that a value says it is, or the value."""
    make = hook_of(value, ARRAYING)
    made = None if make is None else caps.guarded(make)(value)
    return made if isinstance(made, _OfObjects) else value


def _making_records(name: str, function: Function) -> Function:
    """A function that makes an array of what it is given, or one of records if it is told of their fields."""

    def call(object: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        given = _are_records(object) and not isinstance(object, (list, tuple))
        if not given and not holds_records(dtype):
            return function(object, *(() if dtype is None else (dtype,)), *args, **kwargs)
        if given and dtype is None and name == "asarray":
            return object
        return caps.library("_records")["made"](object, object.dtype if dtype is None else dtype)

    call.__name__ = call.__qualname__ = name
    return call


def _taking_objects(name: str, function: Function) -> Function:
    """A function of NumPy's that takes arrays of objects or records as well, if it is one that does."""
    if name in ("array", "asarray"):
        return _making_records(name, function)
    if name not in _OF_OBJECTS | _OF_RECORDS:
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        if name in _OF_RECORDS and args and _are_records(args[0]):
            return caps.library("_records")["functions"][name](*args, **kwargs)
        if name not in _OF_OBJECTS:
            return function(*args, **kwargs)
        given = [list(map(_as_objects, a)) if isinstance(a, (list, tuple)) else _as_objects(a) for a in args]
        if any(isinstance(v, _OfObjects) for a in given for v in (a if isinstance(a, list) else (a,))):
            return caps.library("_objects")["functions"][name](*given, **kwargs)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    if holds_objects(dtype):
        return caps.library("_objects")["filled"](shape, fill_value)
    return np.full(size_of(shape), number_or_array(fill_value), element_type(dtype))


def _arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    given = (0, start, step) if stop is None else (start, stop, step)
    first, last, step = [number(n) for n in given]
    if step:
        room(max(0, math.ceil((last - first) / step)))
    made: Any = np.arange(first, last, step, dtype=element_type(dtype))
    return made


def _linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: Any = False, dtype: Any = None
) -> Any:
    room(max(0, whole(num)))
    first, last, kind = float(start), float(stop), element_type(dtype)
    function: Function = np.linspace
    return function(first, last, whole(num), endpoint=bool(endpoint), retstep=bool(retstep), dtype=kind)


def _spaced(name: str) -> Function:
    function = getattr(np, name)

    def call(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, **how: Any) -> Any:
        room(max(0, whole(num)), 10)
        choices = {key: number(value) for key, value in how.items()}
        return function(number(start), number(stop), whole(num), bool(endpoint), **choices)

    return call


def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    size_of((N, N if M is None else M))
    return np.eye(N, M, whole(k), dtype=element_type(dtype))


def _like(name: str) -> Function:
    function = getattr(np, name)
    return lambda a, dtype=None: function(array_of(a), dtype=element_type(dtype))


def _tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    room(max(0, whole(N)) * max(0, whole(N if M is None else M)))
    return np.tri(whole(N), None if M is None else whole(M), whole(k), dtype=element_type(dtype))


def _full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    a = array_of(a)
    room(a.size)
    return np.full_like(a, number_or_array(fill_value), element_type(dtype))


def _meshgrid(*xi: Any, indexing: Any = "xy") -> Any:
    arrays = [array_of(x) for x in xi]
    room(math.prod(a.size for a in arrays) * len(arrays))
    return np.meshgrid(*arrays, indexing="ij" if indexing == "ij" else "xy")


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
    classes: list[type] = [np.ndarray, *_NUMBER_CLASSES, np.generic, np.number, np.integer, np.floating]
    table: Table = {cls.__name__: sealed(cls) for cls in classes}
    table.update({"bool_": sealed(np.bool_), "object_": sealed(np.object_)})
    table.update({"newaxis": None, "__version__": np.__version__})
    table.update({name: getattr(np, name) for name in ("pi", "e", "euler_gamma", "inf", "nan")})
    table["finfo"], table["iinfo"] = Precision, Whole
    made: dict[str, Function] = {"array": _array, "frombuffer": _from_buffer, "arange": _arange, "linspace": _linspace}
    made.update({name: _as_array(name) for name in ("asarray", "asanyarray", "ascontiguousarray")})
    made.update(
        diag=_diag, outer=_outer, tile=_tile, repeat=_repeat, pad=_pad, array_split=_split, append=_append,
        einsum=_einsum,
    )
    made["identity"] = lambda n, dtype=float: _eye(n, dtype=dtype)
    table.update(double=sealed(np.float64), int_=sealed(np.int64), single=sealed(np.float32), half=sealed(np.float16))
    table.update(intp=sealed(np.int64), longlong=sealed(np.int64), ubyte=sealed(np.uint8), intc=sealed(np.int32))
    table.update(inexact=sealed(np.inexact), signedinteger=sealed(np.signedinteger), True_=np.True_, False_=np.False_)
    # What was in memory before is no program's business.
    made.update(empty=_filled("zeros", None), empty_like=_like("zeros_like"))
    made.update(eye=_eye, meshgrid=_meshgrid, full=_full, zeros=_filled("zeros", 0), ones=_filled("ones", 1))
    made.update({name: _like(name) for name in ("zeros_like", "ones_like")})
    made.update({name: _spaced(name) for name in ("logspace", "geomspace")}, full_like=_full_like, tri=_tri)
    made.update({name: _each(name) for name in f"{_EACH} {array_api.EACH}".split()})
    made.update({name: of_one(name) for name in f"{_WHOLE} {array_api.WHOLE}".split()})
    made.update({name: _of_each(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")})
    made.update({name: _joined(name) for name in _JOINING.split()})
    made.update({name: _product(name) for name in ("dot", "matmul")})
    made.update({name: _laid_out(name) for name in ("ravel", "reshape")})
    for made_in in (array_api.of_standard, of_counts, of_parts, of_polynomials, of_texts, of_types, windows):
        made.update(made_in())
    table.update(dtype=element_type_of, geterr=geterr, seterr=seterr)
    functions = {name: _taking_objects(name, taking_texts(name, quiet(name, f))) for name, f in made.items()}
    with_methods(functions)
    return {**table, **functions}
