"""A small NumPy: what programs make their data with, and look at numbers by, before and after PyTorch has them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.tensor import Tensor
from ..errors import SpecError
from . import chance, limits as limits_
from .caps import caps, collected, fits, weigh, whole
from .iteration import Lazy, iterate
from .kinds import word
from .sealed import sealed

Table = dict[str, Any]
Function = Callable[..., Any]

_EACH = (
    "abs absolute add allclose arccos arcsin arctan arctan2 ceil clip cos cosh deg2rad divide equal exp exp2 expm1 "
    "floor greater greater_equal isclose isfinite isinf isnan less less_equal log log10 log1p log2 logical_and "
    "logical_not logical_or maximum minimum mod multiply negative not_equal power reciprocal rad2deg round sign "
    "sin sinh sqrt square subtract tan tanh true_divide where"
)
_WHOLE = (
    "all any argmax argmin argsort array_equal average count_nonzero cumprod cumsum expand_dims flip "
    "max mean median min prod ravel reshape sort squeeze std sum transpose unique var"
)
_JOINING = "concatenate hstack stack vstack"
_NUMBERS = (bool, int, float, np.generic)
# Elementary operations that count as one step.
_STEP = 8


def room(n: int) -> None:
    """Refuse an array of too many elements, and charge for one that fits."""
    if n > caps.limits.elements:
        raise limits_.too_large_op(caps.limits, n)
    caps.tick(n >> _STEP)


def array_of(value: Any) -> Any:
    """An array of numbers, of whatever a program may hold that is one."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, Tensor):
        return value.numpy()
    if isinstance(value, (Lazy, range)):
        value = collected(iterate(value))
    weigh(value)
    return np.array(_plain(value))


def _plain(value: Any) -> Any:
    """Numbers and lists of them, in which tensors have become arrays."""
    if isinstance(value, _NUMBERS):
        return value
    if isinstance(value, (np.ndarray, Tensor)):
        return array_of(value)
    if isinstance(value, (list, tuple)):
        caps.tick(len(value))
        return [_plain(v) for v in value]
    raise SpecError(f"arrays hold numbers in the spec language, and this is a {word(value)}", help="use a list")


def _given(value: Any) -> Any:
    """An argument: lists and tensors as arrays, numbers as they are."""
    return value if value is None or isinstance(value, (*_NUMBERS, np.ndarray)) else array_of(value)


def _choice_of(value: Any) -> Any:
    """An argument that says how: a number, or a tuple of numbers such as axes."""
    if isinstance(value, tuple):
        return tuple([whole(n) for n in value])
    return _given(value)


def _choices(given: dict[str, Any]) -> dict[str, Any]:
    return {name: element_type(v) if name == "dtype" else _choice_of(v) for name, v in given.items()}


def _size(value: Any) -> tuple[int, ...]:
    """A shape, or the number of elements of a vector."""
    sizes = (whole(value),) if not isinstance(value, (list, tuple)) else tuple([whole(n) for n in value])
    room(math.prod(max(n, 0) for n in sizes))
    return sizes


def _quiet(name: str, function: Function) -> Function:
    """A function of NumPy's that warns nobody."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for key in kwargs:
            if key in ("out", "like", "subok", "casting", "order"):
                raise SpecError(f"numpy.{name}({key}=...) is not in the spec language", help="leave it out")
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def _each(name: str) -> Function:
    """A function that goes through its arguments element by element, broadcast together."""
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple([_given(a) for a in args])
        room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in args])))
        return function(*args, **_choices(kwargs))

    return call


def _of_one(name: str) -> Function:
    """A function that makes nothing larger than its arguments are."""
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        first = array_of(args[0] if args else ())
        others = [_choice_of(a) for a in args[1:]]
        room(max([np.size(a) for a in (first, *others)]))
        return function(first, *others, **_choices(kwargs))

    return call


def _joined(name: str) -> Function:
    function = getattr(np, name)

    def call(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        parts = [array_of(a) for a in collected(iterate(arrays))]
        room(sum(a.size for a in parts))
        return function(parts, *map(_choice_of, args), **_choices(kwargs))

    return call


def _product(name: str) -> Function:
    function = getattr(np, name)

    def call(a: Any, b: Any) -> Any:
        a, b = array_of(a), array_of(b)
        room(a.size * b.size // max(1, a.shape[-1] if a.ndim else 1))
        caps.tick(a.size * (b.shape[-1] if b.ndim > 1 else 1) >> _STEP)
        return function(a, b)

    return call


# -- arrays that are made ------------------------------------------------------------------------


def _array(object: Any, dtype: Any = None) -> Any:
    made = np.array(array_of(object), dtype=element_type(dtype))
    room(made.size)
    return made


def element_type(dtype: Any) -> Any:
    """An element type, of what programs call one."""
    if dtype in (float, int, bool):
        return np.dtype(dtype)
    if dtype is None or (isinstance(dtype, np.dtype) and dtype.kind in "biuf"):
        return dtype
    if isinstance(dtype, str) and dtype in _DTYPES:
        return np.dtype(dtype)
    raise SpecError("this is no element type of arrays in the spec language", help=f"there are {', '.join(_DTYPES)}")


def _filled(name: str) -> Function:
    function = getattr(np, name)

    def call(shape: Any, *args: Any, dtype: Any = None) -> Any:
        return (
            function(_size(shape), *args, dtype=element_type(dtype))
            if name == "full"
            else function(_size(shape), dtype=element_type(args[0] if args else dtype))
        )

    return call


def _arange(*args: Any, dtype: Any = None) -> Any:
    first, last, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    if step:
        room(max(0, math.ceil((last - first) / step)))
    return np.arange(*args, dtype=element_type(dtype))


def _linspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True) -> Any:
    room(max(0, whole(num)))
    return np.linspace(float(start), float(stop), num, endpoint=endpoint)


def _eye(N: Any, M: Any = None, dtype: Any = float) -> Any:
    _size((N, N if M is None else M))
    return np.eye(N, M, dtype=element_type(dtype))


def _like(name: str) -> Function:
    function = getattr(np, name)
    return lambda a, dtype=None: function(array_of(a), dtype=element_type(dtype))


def _meshgrid(*xi: Any, indexing: Any = "xy") -> Any:
    arrays = [array_of(x) for x in xi]
    room(math.prod(a.size for a in arrays) * len(arrays))
    return np.meshgrid(*arrays, indexing="ij" if indexing == "ij" else "xy")


def _norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    a = array_of(x)
    room(a.size)
    return np.linalg.norm(a, ord if ord is None else float(ord), _choice_of(axis))


_DTYPES = ("float64", "float32", "int64", "int32", "uint8", "bool")


def numpy() -> Table:
    """What the module `numpy` has."""
    table: Table = {name: np.dtype(name) for name in _DTYPES if name != "bool"}
    table.update(
        {"bool_": np.dtype(bool), "ndarray": sealed(np.ndarray), "newaxis": None, "__version__": np.__version__}
    )
    table.update({name: getattr(np, name) for name in ("pi", "e", "inf", "nan")})
    made: dict[str, Function] = {"array": _array, "asarray": _array, "arange": _arange, "linspace": _linspace}
    made.update(eye=_eye, meshgrid=_meshgrid, **{name: _filled(name) for name in ("zeros", "ones", "full")})
    made.update({name: _like(name) for name in ("zeros_like", "ones_like")})
    made.update({name: _each(name) for name in _EACH.split()})
    made.update({name: _of_one(name) for name in _WHOLE.split()})
    made.update({name: _joined(name) for name in _JOINING.split()})
    made.update({name: _product(name) for name in ("dot", "matmul")})
    return {**table, **{name: _quiet(name, function) for name, function in made.items()}}


def linalg() -> Table:
    """What the module `numpy.linalg` has."""
    return {"norm": _quiet("norm", _norm)}


# -- random arrays -------------------------------------------------------------------------------

_MODULE = "numpy.random"


def _source() -> Any:
    return chance.held(_MODULE, _seeded)


def _seeded(seed: int) -> Any:
    return np.random.RandomState(seed % 2**32)


def _seed(seed: Any = None) -> None:
    first = _seeded(chance.first_seed()) if seed is None else np.random.RandomState(whole(seed))
    chance.hold(_MODULE, first)


def _sized(name: str) -> Function:
    """A function whose arguments are sizes."""
    return lambda *sizes: getattr(_source(), name)(*_size(sizes) if sizes else ())


def _drawn(name: str, parameters: int) -> Function:
    """A function whose arguments are those of a distribution, and a size."""

    def call(*args: Any, size: Any = None) -> Any:
        given = [_given(a) for a in args[:parameters]]
        size = args[parameters] if len(args) > parameters else size
        if size is None:
            room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in given])))
        return getattr(_source(), name)(*given, size=None if size is None else _size(size))

    return call


def _randint(low: Any, high: Any = None, size: Any = None) -> Any:
    return _source().randint(low, high, None if size is None else _size(size))


def _choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    values = _population(a)
    return _source().choice(values, None if size is None else _size(size), replace, None if p is None else array_of(p))


def _population(a: Any) -> Any:
    """What is chosen from: the numbers below one, or an array."""
    if isinstance(a, int):
        room(a)
        return a
    return array_of(a)


def _shuffle(x: Any) -> None:
    if not isinstance(x, (list, np.ndarray)):
        raise SpecError("numpy.random.shuffle() takes a list or an array in the spec language", help="index with one")
    fits(len(x), "list")
    caps.tick(len(x))
    _source().shuffle(x)


def random() -> Table:
    """What the module `numpy.random` has."""
    made: dict[str, Function] = {"seed": _seed, "rand": _sized("rand"), "randn": _sized("randn"), "randint": _randint}
    made.update(choice=_choice, shuffle=_shuffle, permutation=lambda x: _source().permutation(_population(x)))
    made.update({name: _drawn(name, 2) for name in ("uniform", "normal")})
    made.update({name: _drawn(name, 0) for name in ("random", "random_sample", "standard_normal")})
    return {name: _quiet(name, function) for name, function in made.items()}
