"""A small NumPy: what programs make their data with, and look at numbers by, before and after PyTorch has them."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ...errors import SpecError
from ..guard.costs.estimate import Estimate, multiplied
from ..guard.costs.multiplying import matmul
from ..guard.numpy_operands import as_tensor
from ..guard.size_limits import CONSTRUCTORS, caps, collected, fits, whole
from ..torch_names import seeded_generators
from ..values.element_types import NAMES, element_type, holds_objects, is_subtype
from ..values.sealed_classes import Given, known_as, sealed
from ..values.tables.table import attributes, declare
from ..values.text_arrays import array_of_texts, begins_with_text
from ..values.user_definitions import UserType
from .iteration import iterate
from .more_numpy import element_type_of, more, of_matrices, of_waves
from .numpy_arguments import (
    Function,
    Table,
    array_of,
    choice_of,
    choices_of,
    number,
    number_or_array,
    of_one,
    optional,
    order_of,
    room,
    split_at,
    wrapped_as,
)
from .rare_numpy import rare
from .text_functions import taking_texts
from .ufuncs import with_methods

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
_JOINING = "column_stack concatenate hstack stack vstack"
# Elementary operations for each element that is drawn, or put at a place that is drawn.
_DRAW = 20
_MOVE = 100


def _size(value: Any, each: int = 1) -> tuple[int, ...]:
    """A shape, or the number of elements of a vector."""
    sizes = (whole(value),) if not isinstance(value, (list, tuple)) else tuple([whole(n) for n in value])
    room(math.prod(max(n, 0) for n in sizes), each)
    return sizes


def quiet(name: str, function: Function) -> Function:
    """A function of NumPy's that warns nobody."""
    function.__name__ = function.__qualname__ = name

    def call(*args: Any, **kwargs: Any) -> Any:
        if name in _REDUCING and args and isinstance(args[0], Tensor):
            raise _reduced(name, kwargs)
        if "out" in kwargs:
            out = kwargs.pop("out")
            found = call(*args, **kwargs)
            return found if out is None else _written(name, out, found)
        for key in kwargs:
            if key in ("like", "subok", "casting") or (key == "order" and name not in ("ravel", "reshape")):
                raise SpecError(f"numpy.{name}({key}=...) is not in the spec language", help="leave it out")
        with np.errstate(all="ignore"):
            found = function(*args, **kwargs)
        return as_tensor(found) if tensors and any(isinstance(a, Tensor) for a in args) else found

    tensors = name in _AS_METHODS or isinstance(getattr(np, name, None), np.ufunc)
    call.__name__ = call.__qualname__ = name
    return call


# Functions of NumPy's that call the method of their argument, with names that the method of a tensor has not.
_REDUCING = frozenset(("sum", "mean", "max", "min", "amax", "amin", "std", "var", "all", "any", "prod"))


def _reduced(name: str, given: dict[str, Any]) -> TypeError:
    """The error of PyTorch's method, which NumPy's function of the same name calls of a tensor."""
    method, axis = name.removeprefix("a") if name in ("amax", "amin") else name, given.get("axis")
    said = "got an unexpected keyword argument 'axis'"
    if method in ("std", "var", "all", "any") or "keepdims" in given:
        said = "received an invalid combination of arguments: NumPy's axis, keepdims, ddof, dtype and out"
    elif method in ("max", "min", "prod") and axis is None:
        return TypeError(f"{method}(): argument 'dim' must be int, not NoneType")
    return TypeError(f"{method}() {said}")


# Functions of NumPy's that call the method of their argument: of a tensor they give a tensor, as all ufuncs do.
_METHODS_OF_BOTH = "argmax argmin argsort around clip cumprod cumsum ptp repeat reshape round squeeze swapaxes take"
_AS_METHODS = frozenset((*_METHODS_OF_BOTH.split(), "transpose"))


def _written(name: str, out: Any, found: Any) -> Any:
    """The array given for a result, which it now holds."""
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if not isinstance(out, np.ndarray) or isinstance(found, tuple):
        raise TypeError("return arrays must be of ArrayType")
    if np.shape(found) != out.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {_shown(out.shape)} doesn't match the broadcast shape "
            f"{_shown(np.shape(found))}"
        )
    if not np.can_cast(np.asarray(found).dtype, out.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast ufunc '{name}' output from {np.asarray(found).dtype!r} to {out.dtype!r} with casting rule "
            "'same_kind'"
        )
    np.copyto(out, found, "same_kind")
    return out


def _shown(shape: tuple[int, ...]) -> str:
    """A shape as NumPy's messages show it."""
    return str(shape).replace(" ", "")


def _each(name: str) -> Function:
    """A function that goes through its arguments element by element, broadcast together."""
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if "where" in kwargs:
            raise SpecError(f"numpy.{name}(where=...) is not in the spec language", help="choose with numpy.where")
        read: tuple[Any, ...] = tuple([a if a is None and name == "clip" else number_or_array(a) for a in args])
        room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in read])))
        return wrapped_as(args, function(*read, **choices_of(kwargs)))

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


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    values = array_of(a)
    edges = bins if isinstance(bins, int) else array_of(bins)
    room(values.size + (edges if isinstance(edges, int) else edges.size) + 1, _MOVE)
    bounds = None if range is None else tuple([number(n) for n in array_of(range)])
    return np.histogram(values, edges, bounds, bool(density), None if weights is None else array_of(weights))


# -- arrays that are made ------------------------------------------------------------------------


def _array(object: Any, dtype: Any = None, *, copy: Any = True, ndmin: Any = 0) -> Any:
    if holds_objects(dtype) or (dtype is None and isinstance(object, _OfObjects)):
        return caps.library("_objects")["made"](object)
    found = array_of(object)
    room(found.size)
    kept = copy if copy is None or isinstance(object, np.ndarray) else True
    return np.array(found, dtype=element_type(dtype), copy=kept if kept is None else bool(kept), ndmin=whole(ndmin))


def _as_array(name: str) -> Function:
    """A function that gives an array as it is, and makes one of all else."""
    function = getattr(np, name)

    def call(a: Any, dtype: Any = None) -> Any:
        if isinstance(a, _OfObjects) and (dtype is None or holds_objects(dtype)):
            return a
        if holds_objects(dtype):
            return _array(a, dtype)
        found = array_of(a)
        room(found.size)
        return function(found, dtype=element_type(dtype))

    return call


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
        return function(_size(shape), dtype=element_type(dtype))

    return call


class _Instances(type):
    def __instancecheck__(cls, value: Any) -> bool:
        kind = type(value)
        return kind.__name__ == "ndarray" and isinstance(kind, UserType) and kind is caps.library("_objects")["ndarray"]


class _OfObjects(metaclass=_Instances):
    """The arrays that hold anything, whose class is written in the spec language."""


sealed(np.ndarray).kin = (*sealed(np.ndarray).kin, _OfObjects)


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    if holds_objects(dtype):
        return caps.library("_objects")["filled"](shape, fill_value)
    return np.full(_size(shape), number_or_array(fill_value), element_type(dtype))


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


def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    _size((N, N if M is None else M))
    return np.eye(N, M, whole(k), dtype=element_type(dtype))


def _like(name: str) -> Function:
    function = getattr(np, name)
    return lambda a, dtype=None: function(array_of(a), dtype=element_type(dtype))


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


def _diff(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    a, n, axis = array_of(a), whole(n), whole(axis)
    if -a.ndim <= axis < a.ndim:
        # Nothing is left after so many times.
        n = min(n, a.shape[axis])
    room(a.size, max(n, 1))
    return np.diff(a, n, axis)


def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    a, b = array_of(arr), array_of(values)
    room(a.size + b.size)
    return np.append(a, b, axis)


def _solving(name: str) -> Function:
    """A function of a matrix, which takes as many operations as its cube has elements."""
    function = getattr(np.linalg, name)

    def call(*args: Any) -> Any:
        arrays = [array_of(a) for a in args]
        n = max(1, *[max(a.shape, default=1) for a in arrays])
        room(sum(a.size for a in arrays), 20 * n)
        return function(*arrays)

    return call


def _refuse_wide(function: str, *sizes: Any) -> None:
    for value in sizes:
        if value is not None and not 0 <= whole(value) <= _WIDEST:
            raise ValueError(f"{function}() takes numbers up to {_WIDEST} in the spec language")


def _text_of(
    a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None, separator: Any = " ",
    *, floatmode: Any = None, sign: Any = None,
) -> str:  # fmt: skip
    """array2string()"""
    _refuse_wide("array2string", precision, max_line_width)
    if not isinstance(separator, str):
        raise TypeError("the separator of array2string() is to be a str")
    values = array_of(a)
    fits(min(values.size, 1000) * len(separator), "str")
    how = {"floatmode": _one_of("floatmode", floatmode, _MODES), "sign": _one_of("sign", sign, ("-", "+", " "))}
    return np.array2string(values, max_line_width, precision, suppress_small, separator, **how)


_MODES = ("fixed", "unique", "maxprec", "maxprec_equal")


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> Any:
    if value is not None and value not in choices:
        raise ValueError(f"{name} option must be one of {', '.join(map(repr, choices))}")
    return value


def _options(
    precision: Any = None, threshold: Any = None, edgeitems: Any = None, linewidth: Any = None, suppress: Any = None,
    *, sign: Any = None, floatmode: Any = None,
) -> None:  # fmt: skip
    """set_printoptions(): as few as programs use; they hold for the run."""
    _refuse_wide("set_printoptions", precision, linewidth, edgeitems)
    if threshold is not None:
        # All that is in an array may be printed, as far as a program may print.
        threshold = int(min(number(threshold), caps.limits.sequence))
    np.set_printoptions(
        precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth, suppress=suppress,
        sign=_one_of("sign", sign, ("-", "+", " ")), floatmode=_one_of("floatmode", floatmode, _MODES),
    )  # fmt: skip


def _current_options() -> dict[str, Any]:
    """get_printoptions(): those that set_printoptions() takes."""
    found: Any = np.get_printoptions()
    names = ("precision", "threshold", "edgeitems", "linewidth", "suppress", "sign", "floatmode")
    return {name: found[name] for name in names}


_WIDEST = 1_000


class Precision:
    """finfo(): what the numbers of an element type can tell apart."""

    __slots__ = ("bits", "eps", "max", "min", "resolution", "shown", "tiny")

    def __init__(self, dtype: Any = float) -> None:
        of = np.finfo(element_type(dtype))
        self.bits, self.eps, self.max, self.min = of.bits, of.eps, of.max, of.min
        self.resolution, self.tiny = of.resolution, of.tiny
        self.shown = str(of)

    def __repr__(self) -> str:
        return self.shown


known_as(Precision, "finfo", "numpy")
declare(Precision, base=object, fields=attributes("bits eps max min resolution tiny"))


class Whole:
    """iinfo(): which whole numbers an element type has."""

    __slots__ = ("bits", "max", "min", "shown")

    def __init__(self, type: Any = int) -> None:
        of = np.iinfo(element_type(type))
        self.bits, self.max, self.min = of.bits, of.max, of.min
        self.shown = str(of)

    def __repr__(self) -> str:
        return self.shown


known_as(Whole, "iinfo", "numpy")
declare(Whole, base=object, fields=attributes("bits max min"))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    a = array_of(x)
    # Of matrices, two norms are found in their singular values.
    room(a.size, 1 if ord is None else 20 * max(1, *a.shape[-2:], 1))
    named = isinstance(ord, str) and ord in ("fro", "nuc")
    return np.linalg.norm(a, ord if ord is None or named else float(ord), choice_of(axis), bool(keepdims))


@cache
def numpy() -> Table:
    """The names of the module `numpy`."""
    classes: list[type] = [np.ndarray, *_NUMBER_CLASSES, np.generic, np.number, np.integer, np.floating]
    table: Table = {cls.__name__: sealed(cls) for cls in classes}
    table.update({"bool_": sealed(np.bool_), "object_": sealed(np.object_)})
    table.update({"newaxis": None, "__version__": np.__version__})
    table.update({name: getattr(np, name) for name in ("pi", "e", "euler_gamma", "inf", "nan")})
    table["finfo"], table["iinfo"] = Precision, Whole
    made: dict[str, Function] = {"array": _array, "arange": _arange, "linspace": _linspace}
    made.update({name: _as_array(name) for name in ("asarray", "asanyarray", "ascontiguousarray")})
    made.update(
        diag=_diag, outer=_outer, tile=_tile, repeat=_repeat, pad=_pad, array_split=_split, append=_append, diff=_diff,
        einsum=_einsum, histogram=_histogram,
    )
    made["set_printoptions"], made["issubdtype"], made["array2string"] = _options, is_subtype, _text_of
    made["get_printoptions"] = _current_options
    made["geterr"] = lambda: {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    made["identity"] = lambda n, dtype=float: _eye(n, dtype=dtype)
    table.update(double=sealed(np.float64), int_=sealed(np.int64), single=sealed(np.float32), half=sealed(np.float16))
    table.update(intp=sealed(np.int64), longlong=sealed(np.int64), ubyte=sealed(np.uint8), intc=sealed(np.int32))
    table.update(inexact=sealed(np.inexact), signedinteger=sealed(np.signedinteger), True_=np.True_, False_=np.False_)
    # What was in memory before is no program's business.
    made.update(empty=_filled("zeros", None), empty_like=_like("zeros_like"))
    made.update(eye=_eye, meshgrid=_meshgrid, full=_full, zeros=_filled("zeros", 0), ones=_filled("ones", 1))
    made.update({name: _like(name) for name in ("zeros_like", "ones_like")})
    made.update({name: _each(name) for name in _EACH.split()})
    made.update({name: of_one(name) for name in _WHOLE.split()})
    made.update({name: _of_each(name) for name in ("atleast_1d", "atleast_2d")})
    made.update({name: _joined(name) for name in _JOINING.split()})
    made.update({name: _product(name) for name in ("dot", "matmul")})
    made.update({name: _laid_out(name) for name in ("ravel", "reshape")})
    made.update(more())
    made.update(rare())
    table["dtype"] = element_type_of
    functions = {name: taking_texts(name, quiet(name, function)) for name, function in made.items()}
    with_methods(functions, quiet)
    return {**table, **functions}


def linalg() -> Table:
    """The names of the module `numpy.linalg`."""
    made: dict[str, Function] = {"norm": _norm, **{name: _solving(name) for name in ("inv", "det", "solve", "pinv")}}
    made.update(of_matrices())
    return {**{name: quiet(name, function) for name, function in made.items()}, "LinAlgError": np.linalg.LinAlgError}


def fft() -> Table:
    """The names of the module `numpy.fft`."""
    return {name: quiet(name, function) for name, function in of_waves().items()}


# -- random arrays -------------------------------------------------------------------------------



def _source() -> Any:
    return seeded_generators.held(seeded_generators.OF_ARRAYS, _seeded)


def _seeded(seed: int) -> Any:
    return np.random.RandomState(seed % 2**32)


def _seed(seed: Any = None) -> None:
    first = _seeded(seeded_generators.first_seed()) if seed is None else np.random.RandomState(whole(seed))
    seeded_generators.hold(seeded_generators.OF_ARRAYS, first)


def _state() -> tuple[Any, ...]:
    """Return the name and the numbers that set_state() takes."""
    found: tuple[Any, ...] = _source().get_state()
    return found


def _go_on(state: Any) -> None:
    """Go on from a state."""
    name, words, place, ahead, number = collected(iterate(state))
    numbers = np.array([whole(word) for word in collected(iterate(words))], dtype=np.uint32)
    if name != "MT19937":
        raise ValueError("algorithm must be 'MT19937'")
    _source().set_state((name, numbers, whole(place), whole(ahead), float(number)))


def _sized(name: str) -> Function:
    """A function whose arguments are sizes."""
    return lambda *sizes: getattr(_source(), name)(*_size(sizes, _DRAW) if sizes else ())


# The parameters of each distribution.
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "random": (), "random_sample": (), "ranf": (), "sample": (), "standard_normal": (), "uniform": ("low", "high"),
    "normal": ("loc", "scale"),
    "binomial": ("n", "p"), "chisquare": ("df",), "geometric": ("p",), "laplace": ("loc", "scale"),
    "lognormal": ("mean", "sigma"), "rayleigh": ("scale",), "triangular": ("left", "mode", "right"), "weibull": ("a",),
    "beta": ("a", "b"), "exponential": ("scale",), "gamma": ("shape", "scale"), "poisson": ("lam",),
    "gumbel": ("loc", "scale"), "logistic": ("loc", "scale"), "pareto": ("a",), "power": ("a",), "standard_cauchy": (),
    "standard_exponential": (), "standard_gamma": ("shape",), "standard_t": ("df",), "f": ("dfnum", "dfden"),
    "hypergeometric": ("ngood", "nbad", "nsample"), "logseries": ("p",), "negative_binomial": ("n", "p"),
    "noncentral_chisquare": ("df", "nonc"), "noncentral_f": ("dfnum", "dfden", "nonc"), "vonmises": ("mu", "kappa"),
    "wald": ("mean", "scale"), "zipf": ("a",),
}  # fmt: skip
# Those of which one number may take several tries.
_TRIED = (
    "beta", "binomial", "chisquare", "f", "gamma", "geometric", "hypergeometric", "logseries", "negative_binomial",
    "noncentral_chisquare", "noncentral_f", "poisson", "standard_gamma", "standard_t", "vonmises", "zipf",
)  # fmt: skip
# Those that generators of the new kind draw in single precision, too.
_OF_A_DTYPE = ("random", "standard_exponential", "standard_gamma", "standard_normal")
# Of a flatter one almost every try is beyond all integers.
_FLATTEST = 1.01


def _drawn(name: str, parameters: tuple[str, ...]) -> Function:
    """A function whose arguments are those of a distribution, and a size."""
    each = 10 * _DRAW if name in _TRIED else _DRAW

    def call(*args: Any, size: Any = None, **named: Any) -> Any:
        known = dict(zip(parameters, args, strict=False))
        kind: dict[str, Any] = {}
        if name in _OF_A_DTYPE and "dtype" in named and isinstance(_source(), np.random.Generator):
            kind["dtype"] = element_type(named.pop("dtype"))
        for key, value in named.items():
            if key not in parameters or key in known:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            known[key] = value
        given = {key: number_or_array(value) for key, value in known.items()}
        if name == "zipf" and "a" in given:
            a = np.asarray(given["a"])
            if np.any((a > 1) & (a < _FLATTEST)):
                raise SpecError(f"numpy.random.zipf() takes a from {_FLATTEST} on in the spec language", code="E205")
        size = args[len(parameters)] if len(args) > len(parameters) else size
        if size is None:
            room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in given.values()])), each)
        draw = getattr(_source(), "random_sample" if name in _OF_MODULE else name)
        return draw(**given, size=None if size is None else _size(size, each), **kind)

    return call


def _randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    low, high = number_or_array(low), optional(high)
    room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in (low, high)])), _DRAW)
    # One number of the type `int` is Python's own.
    kind = dtype if dtype is int or dtype is bool else element_type(dtype)
    return _source().randint(low, high, None if size is None else _size(size, _DRAW), kind)


def _choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    if begins_with_text(a):
        texts = array_of_texts(a)
        return texts[_choice(len(texts), size, replace, p)]
    values = _population(a, 0 if replace else _MOVE)
    chances = None if p is None else array_of(p)
    return _source().choice(values, None if size is None else _size(size, 5 * _DRAW), bool(replace), chances)


def _population(a: Any, each: int) -> Any:
    """Return the numbers to choose from, those below an int or an array, and charge for them."""
    if isinstance(a, int):
        if each:
            room(max(a, 0), each)
        return a
    values = array_of(a)
    room(values.size, each)
    return values


def _normals(mean: Any, cov: Any, size: Any = None) -> Any:
    mean, cov = array_of(mean), array_of(cov)
    sizes = () if size is None else _size(size)
    room(math.prod(sizes) * max(1, mean.size) + cov.size, _DRAW + 20 * max(1, mean.size))
    return _source().multivariate_normal(mean, cov, sizes)


def _counts(n: Any, pvals: Any, size: Any = None) -> Any:
    """multinomial()"""
    chances = array_of(pvals)
    sizes = () if size is None else _size(size)
    room(math.prod(sizes) * max(1, chances.size), 10 * _DRAW)
    return _source().multinomial(whole(n), chances, sizes)


def _shares(alpha: Any, size: Any = None) -> Any:
    """dirichlet()"""
    weights = array_of(alpha)
    sizes = () if size is None else _size(size)
    room(math.prod(sizes) * max(1, weights.size), 10 * _DRAW)
    return _source().dirichlet(weights, sizes)


def _shuffle(x: Any) -> None:
    if not isinstance(x, (list, np.ndarray)):
        raise SpecError("numpy.random.shuffle() takes a list or an array in the spec language", help="index with one")
    n = x.size if isinstance(x, np.ndarray) else len(x)
    room(n, _MOVE)
    _source().shuffle(x)


def _permuted(x: Any, axis: Any = None) -> Any:
    values = _population(x, _MOVE)
    return _source().permuted(values, axis=None if axis is None else whole(axis))


def _integers(low: Any, high: Any = None, size: Any = None, dtype: Any = "int64", endpoint: bool = False) -> Any:
    low, high = number_or_array(low), optional(high)
    room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in (low, high)])), _DRAW)
    shape, kind = None if size is None else _size(size, _DRAW), element_type(dtype)
    return _source().integers(low, high, shape, kind, bool(endpoint))


class Drawing(Given):
    """A generator of random arrays that a program holds: of the old kind, or of the new."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        self.source = source


known_as(Drawing, "Generator", "numpy.random")


def _drawing(name: str) -> Function:
    """A method of a generator: the function of the module, drawn from that generator."""

    def method(self: Drawing, *args: Any, **kwargs: Any) -> Any:
        old = isinstance(self.source, np.random.RandomState)
        if name in (_OF_NEW if old else _OLD):
            raise AttributeError(f"'{type(self.source).__name__}' object has no attribute '{name}'")
        function = _functions()[name]
        before = _source()
        seeded_generators.hold(seeded_generators.OF_ARRAYS, self.source)
        try:
            return function(*args, **kwargs)
        finally:
            seeded_generators.hold(seeded_generators.OF_ARRAYS, before)

    return method


_OLD = ("rand", "randn", "randint", "random_sample", "get_state", "set_state")
# What only the module itself has.
_OF_MODULE = ("ranf", "sample")
_OF_NEW = ("integers", "permuted")
_METHODS = (
    *_OLD, *_OF_NEW, "choice", "shuffle", "permutation", "multivariate_normal", "multinomial", "dirichlet",
    *(n for n in _PARAMETERS if n not in (*_OLD, *_OF_MODULE)),
)  # fmt: skip
declare(Drawing, base=object, methods={name: _drawing(name) for name in _METHODS})


def _old(seed: Any = None) -> Drawing:
    return Drawing(_seeded(seeded_generators.first_seed()) if seed is None else np.random.RandomState(whole(seed)))


def _new(seed: Any = None) -> Drawing:
    return Drawing(np.random.default_rng(seeded_generators.first_seed() if seed is None else whole(seed)))


def random() -> Table:
    """The names of the module `numpy.random`."""
    made = _functions()
    for name in _OF_NEW:
        del made[name]
    made.update(RandomState=quiet("RandomState", _old), default_rng=quiet("default_rng", _new))
    return {**made, "Generator": Drawing}


@cache
def _made() -> Table:
    made: dict[str, Function] = {"seed": _seed, "rand": _sized("rand"), "randn": _sized("randn"), "randint": _randint}
    made.update(choice=_choice, shuffle=_shuffle, permutation=lambda x: _source().permutation(_population(x, _MOVE)))
    made.update({name: _drawn(name, parameters) for name, parameters in _PARAMETERS.items()})
    made.update(integers=_integers, permuted=_permuted)
    made.update(multivariate_normal=_normals, multinomial=_counts, dirichlet=_shares)
    made["get_state"], made["set_state"] = _state, _go_on
    return {name: quiet(name, function) for name, function in made.items()}


def _functions() -> Table:
    """The functions that draw, by name, in a table of its own."""
    return dict(_made())
