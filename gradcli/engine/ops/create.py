"""New tensors: of one value, in steps, like others."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from ...errors import EngineTypeError, EngineValueError, Unsupported
from .. import dtypes
from ..boxmuller import fused
from ..data import as_array, no_complex, shareable
from ..dtypes import B8, DTYPES, F64, I64
from ..layout import empty_like as memory_like
from ..registry import composite, fail, public
from ..tensor import Array, Device, Size, Tensor, Value, _chosen, made
from . import convert, shape

# -- the arguments that all of these share ----------------------------------------------------

_OPTIONS = frozenset(("dtype", "layout", "device", "requires_grad", "pin_memory", "out", "names", "memory_format"))


# What PyTorch declares more than once speaks of its signatures when called wrongly.
_SEVERAL = frozenset("rand randn randint randint_like eye arange linspace logspace normal random_ uniform_ new".split())


def invalid(name: str, args: Any, kwargs: dict[str, Any], known: Any = _OPTIONS) -> EngineTypeError:
    """PyTorch's words for arguments that fit no signature."""
    if name not in _SEVERAL:
        for k in kwargs:
            if k not in known:
                return EngineTypeError(f"{name}() got an unexpected keyword argument '{k}'")
        if not args:
            return EngineTypeError(f'{name}() missing 1 required positional arguments: "size"')
        return EngineTypeError(f"{name}() takes 1 positional argument but {len(args)} were given")
    shown = [type(x).__name__ for x in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()]
    return EngineTypeError(f"{name}() received an invalid combination of arguments - got ({', '.join(shown)})")


def options(name: str, args: Any, given: dict[str, Any], default: Any = None) -> tuple[Any, bool]:
    """The NumPy dtype and requires_grad among keyword arguments; the others are of no effect, or refused."""
    if not given:
        return dtypes.default.float if default is None else default, False
    if not given.keys() <= _OPTIONS:
        raise invalid(name, args, given)
    for refused in ("out", "names"):
        if given.get(refused) is not None:
            raise Unsupported(f"{name}(): {refused}= is not supported")
    if given.get("layout") is not None and str(given["layout"]) != "torch.strided":
        raise Unsupported(f"{name}(): layout={given['layout']} is not supported")
    if given.get("device") is not None:
        Device(given["device"])
    if "channels_last" in str(given.get("memory_format")):
        raise Unsupported(f"{name}(): memory_format={given['memory_format']} is not supported")
    d = given.get("dtype")
    d = default if d is None else _chosen(name, d)
    if d is None:
        d = dtypes.default.float
    if d.kind == "c":
        raise no_complex()
    return d, bool(given.get("requires_grad"))


def size_of(name: str, size: tuple[Any, ...], given: dict[str, Any] | None = None) -> tuple[int, ...]:
    """A shape, from ints or from one sequence of them."""
    if not size:
        if given is None or "size" not in given:
            raise invalid(name, size, given or {})
        size = (given.pop("size"),)
    whole = len(size) == 1 and isinstance(size[0], (tuple, list))
    items = size[0] if whole else size
    if not builtins.all(type(n) is int for n in items):
        if _index(items[0]) is None or isinstance(items[0], bool):
            if len(size) > 1:
                raise invalid(name, size, given or {})
            kind = type(items[0]).__name__
            found = f"but found element of type {kind} at pos 0" if whole else f"not {kind}"
            raise EngineTypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, {found}")
        for i, n in enumerate(items):
            if _index(n) is None:
                raise EngineTypeError(
                    f"{name}(): argument 'size' failed to unpack the object at pos {i + 1} with error "
                    f'"type must be tuple of ints,but got {type(n).__name__}"'
                )
    found_size = tuple([operator.index(n) for n in items])
    for n in found_size:
        if n < 0:
            if name == "zeros":
                fail("zeros: Dimension size must be non-negative.")
            fail(f"Trying to create tensor with negative dimension {n}: {list(found_size)}")
    if math.prod(found_size) >= 2**60:
        fail(f"Storage size calculation overflowed with sizes={list(found_size)}")
    return found_size


def _index(n: Any) -> int | None:
    try:
        return operator.index(n)
    except TypeError:
        return None


def number(x: Any) -> Any:
    """A Python number; of a 0-d tensor or of NumPy's too."""
    if isinstance(x, np.generic) or isinstance(x, Tensor) and x._a.ndim == 0 and x._node is None:
        return x.item()
    return x


def filled(shape_: Any, value: Any, d: Any) -> Array:
    """An array of one value, which must have a place in the dtype."""
    value = fitted(value, d)
    if not shape_:
        return value
    a = np.empty(shape_, d)
    a.fill(value)
    return a


# How C++ calls what a number does not fit into.
_C_NAMES = {"float16": "c10::Half", "float32": "float", "float64": "double", "int32": "int"}


def fitted(value: Any, d: Any) -> Any:
    """A Python number as one of NumPy's, which must have a place for it."""
    if d.kind == "b":
        return d.type(bool(value))
    if d.kind == "f":
        if value - value == 0 and abs(value) > np.finfo(d).max:
            _misfit(d)
        return d.type(value)
    limits = np.iinfo(d)
    # Negative numbers wrap around in an unsigned dtype.
    least = -limits.max if limits.min == 0 else limits.min
    if not least <= value <= limits.max:
        _misfit(d)
    return np.int64(builtins.int(value)).astype(d)


def _misfit(d: Any) -> None:
    fail(f"value cannot be converted to type {_C_NAMES.get(d.name, d.name + '_t')} without overflow")


# -- one value --------------------------------------------------------------------------------


@public("torch")
@composite
def zeros(*size: Any, **given: Any) -> Tensor:
    """A tensor of zeros."""
    n = size_of("zeros", size, given)
    d, grad = options("zeros", size, given)
    return made(np.zeros(n, d) if n else d.type(0), grad)


@public("torch")
@composite
def ones(*size: Any, **given: Any) -> Tensor:
    """A tensor of ones."""
    n = size_of("ones", size, given)
    d, grad = options("ones", size, given)
    return made(filled(n, 1, d), grad)


@public("torch")
@composite
def empty(*size: Any, **given: Any) -> Tensor:
    """A tensor of values that say nothing: zeros."""
    n = size_of("empty", size, given)
    d, grad = options("empty", size, given)
    return made(np.zeros(n, d) if n else d.type(0), grad)


@public("torch")
@composite
def full(size: Any, fill_value: Any, **given: Any) -> Tensor:
    """A tensor of one value, whose kind decides the dtype."""
    if not isinstance(size, (tuple, list)):
        raise EngineTypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    n = size_of("full", (size,))
    value = _value("full", "fill_value", 2, fill_value)
    d = B8 if isinstance(value, bool) else I64 if isinstance(value, int) else dtypes.default.float
    d, grad = options("full", (size, fill_value), given, d)
    return made(filled(n, value, d), grad)


def _value(name: str, argument: str, position: int, x: Any) -> Any:
    value = number(x)
    if isinstance(value, complex):
        raise no_complex()
    if not isinstance(value, (int, float)):
        raise EngineTypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Number, not {type(value).__name__}"
        )
    return value


@public("torch")
@composite
def scalar_tensor(s: Any, **given: Any) -> Tensor:
    """A 0-d tensor, of the default dtype unless one is given."""
    d, grad = options("scalar_tensor", (s,), given)
    return made(fitted(_value("scalar_tensor", "s", 1, s), d), grad)


@public("torch")
@composite
def eye(n: Any, m: Any = None, **given: Any) -> Tensor:
    """The identity matrix, or a part of it."""
    d, grad = options("eye", (n,), given)
    rows = _int("eye", "n", 1, n)
    columns = rows if m is None else _int("eye", "m", 2, m)
    if rows < 0:
        fail(f"n must be greater or equal to 0, got {rows}")
    if columns < 0:
        fail(f"m must be greater or equal to 0, got {columns}")
    return made(np.eye(rows, columns, dtype=d), grad)


def _int(name: str, argument: str, position: int, x: Any) -> int:
    found = None if isinstance(x, bool) else _index(x)
    if found is None:
        raise EngineTypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type(x).__name__}"
        )
    return found


# -- steps ------------------------------------------------------------------------------------


def _reals(name: str, numbers: tuple[Any, ...], args: tuple[Any, ...]) -> list[Any]:
    """Arguments that are to be real numbers."""
    found = [number(x) for x in numbers]
    if builtins.any(isinstance(x, complex) for x in found):
        raise no_complex()
    if not builtins.all(isinstance(x, (int, float)) for x in found):
        raise invalid(name, args, {})
    return found


@public("torch")
@composite
def arange(*args: Any, **given: Any) -> Tensor:
    """The numbers from start (0 unless given) up to end, in steps (of 1 unless given)."""
    names = ("end",) if len(args) == 1 and "end" not in given else ("start", "end", "step")
    bound = dict(zip(names, args, strict=False))
    named = {k: given.pop(k) for k in ("start", "end", "step") if k in given}
    if len(args) > 3 or bound.keys() & named.keys() or (named and names == ("end",)) or not args and not named:
        raise invalid("arange", args, named | given)
    bound |= named
    if "end" not in bound:
        raise EngineTypeError('arange() missing 1 required positional arguments: "end"')
    if len(bound) == 1:
        bound["end"] = _value("arange", "end", 1, bound["end"])
    start, end, step = _reals("arange", (bound.get("start", 0), bound["end"], bound.get("step", 1)), args)
    whole = not builtins.any(isinstance(x, float) for x in (start, end, step))
    d, grad = options("arange", tuple(bound.values()), given, I64 if whole else dtypes.default.float)
    if d == B8:
        raise Unsupported("\"arange_cpu\" not implemented for 'Bool'")
    _check_range(start, end, step)
    if d == I64:
        start, end, step = (builtins.int(fitted(x, I64)) for x in (start, end, step))
        if step == 0:
            raise EngineValueError("step must be nonzero")
        return made(np.arange(start, end, step), grad)
    n = math.ceil((float(end) - float(start)) / step)
    if d.kind != "f":
        start, step = builtins.int(start), builtins.int(step)
        with np.errstate(all="ignore"):
            return made((start + np.arange(n) * step).astype(d), grad)
    return made(_counted(F64.type(start), F64.type(step), n, d), grad)


def _counted(start: Any, step: Any, n: int, d: Any) -> Array:
    """Floating numbers in steps from the start, as PyTorch rounds them.

    Most of them come in vectors, whose first number is rounded before the others are counted from it.
    """
    lanes = 32 // d.itemsize
    i = np.arange(n)
    lane = np.where(i < n // (2 * lanes) * 2 * lanes, i % lanes, 0)
    with np.errstate(all="ignore"):
        first = fused((i - lane).astype(F64), step, start).astype(d)
        return fused(lane.astype(F64), step, first.astype(F64)).astype(d)


def _check_range(start: Any, end: Any, step: Any) -> None:
    """Refuse steps that do not lead from start to end."""
    if not (math.isfinite(start) and math.isfinite(end)):
        fail(f"unsupported range: {start:g} -> {end:g}")
    if not (step > 0 or step < 0):
        fail("step must be nonzero")
    if not (step > 0 and end >= start or step < 0 and end <= start):
        fail("upper bound and lower bound inconsistent with step sign")


@public("torch")
@composite
def linspace(*args: Any, **given: Any) -> Tensor:
    """Numbers evenly spaced from start to end, both included: so many steps."""
    start, end, steps = _named("linspace", args, given, {"start": None, "end": None, "steps": None})
    d, grad = options("linspace", args, given)
    return made(_spaced("linspace", start, end, steps, d, args), grad)


@public("torch")
@composite
def logspace(*args: Any, **given: Any) -> Tensor:
    """Powers of a base (10 unless given), their exponents evenly spaced from start to end: so many steps."""
    start, end, steps, base = _named(
        "logspace", args, given, {"start": None, "end": None, "steps": None, "base": 10.0}
    )
    if not isinstance(base, (int, float)):
        raise invalid("logspace", args, {"base": base})
    d, grad = options("logspace", args, given)
    if steps == 1:
        return made(np.full(1, fitted(float(base) ** _reals("logspace", (start,), args)[0], d), d), grad)
    exponents = _spaced("logspace", start, end, steps, d if d.kind == "f" else F64, args)
    with np.errstate(all="ignore"):
        return made(np.power(float(base), exponents.astype(F64)).astype(d), grad)


def _named(name: str, args: tuple[Any, ...], given: dict[str, Any], defaults: dict[str, Any]) -> list[Any]:
    """Arguments by place or by name; those without a default must be there."""
    bound = dict(zip(defaults, args, strict=False))
    named = {k: given.pop(k) for k in defaults if k in given}
    if len(args) > len(defaults) or bound.keys() & named.keys():
        raise invalid(name, args, named | given)
    bound |= named
    for k, default in defaults.items():
        if k not in bound:
            if default is None:
                raise invalid(name, args, named | given)
            bound[k] = default
    return [bound[k] for k in defaults]


def _spaced(name: str, start: Any, end: Any, steps: Any, d: Any, args: tuple[Any, ...]) -> Array:
    """Evenly spaced numbers: the first half counted from the start, the rest from the end."""
    for argument, x in (("start", start), ("end", end)):
        if isinstance(x, Tensor) and x._a.ndim:
            fail(
                f"{name} only supports 0-dimensional start and end tensors, but got {argument} with "
                f"{x._a.ndim} dimension(s)."
            )
    start, end = _reals(name, (start, end), args)
    n = None if isinstance(steps, bool) else _index(steps)
    if n is None:
        raise invalid(name, args, {})
    if n < 0:
        fail("number of steps must be non-negative")
    if d == B8:
        raise Unsupported(f"\"{name}_cpu\" not implemented for 'Bool'")
    first, last = fitted(start, d), fitted(end, d)
    if n < 2:
        return np.full(n, first, d)
    a, b = F64.type(first), F64.type(last)
    i = np.arange(n)
    with np.errstate(all="ignore"):
        step = (b - a) / (n - 1) if d.kind != "f" else F64.type((last - first) / d.type(n - 1))
        return np.where(i < n // 2, _stepped(a, step, i, d), _stepped(b, -step, n - 1 - i, d)).astype(d)


def _stepped(a: Any, step: Any, i: Array, d: Any) -> Array:
    """``a + step * i``, rounded once."""
    return fused(i.astype(F64), step, a) if d == F64 else step * i + a


# -- like others ------------------------------------------------------------------------------


def like(name: str, input: Any, given: dict[str, Any]) -> tuple[Array, bool]:
    """Memory like a tensor's, in the dtype that the options choose, and requires_grad."""
    if not isinstance(input, Tensor):
        raise EngineTypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    a = input._a
    d, grad = options(name, (input,), given, a.dtype)
    if not a.ndim:
        return np.empty((), d), grad
    if "contiguous_format" in str(given.get("memory_format")):
        return np.empty(a.shape, d), grad
    return memory_like(a, d), grad


def _plain(a: Array) -> Array:
    return a if a.ndim else a[()]


@public("torch")
@composite
def zeros_like(input: Value, **given: Any) -> Value:
    """Zeros in a tensor's shape and dtype."""
    a, grad = like("zeros_like", input, given)
    a.fill(0)
    return made(_plain(a), grad)


@public("torch")
@composite
def ones_like(input: Value, **given: Any) -> Value:
    """Ones in a tensor's shape and dtype."""
    a, grad = like("ones_like", input, given)
    a.fill(1)
    return made(_plain(a), grad)


@public("torch")
@composite
def empty_like(input: Value, **given: Any) -> Value:
    """Values that say nothing, zeros, in a tensor's shape and dtype."""
    a, grad = like("empty_like", input, given)
    a.fill(0)
    return made(_plain(a), grad)


@public("torch")
@composite
def full_like(input: Value, fill_value: Any, **given: Any) -> Value:
    """One value in a tensor's shape and dtype."""
    a, grad = like("full_like", input, given)
    a.fill(fitted(_value("full_like", "fill_value", 2, fill_value), a.dtype))
    return made(_plain(a), grad)


@public("Tensor")
@composite
def new_zeros(input: Value, *size: Any, **given: Any) -> Value:
    """Zeros of another shape, in this tensor's dtype."""
    n = size_of("new_zeros", size, given)
    d, grad = options("new_zeros", size, given, input._a.dtype)
    return made(_plain(np.zeros(n, d)), grad)


@public("Tensor")
@composite
def new_ones(input: Value, *size: Any, **given: Any) -> Value:
    """Ones of another shape, in this tensor's dtype."""
    n = size_of("new_ones", size, given)
    d, grad = options("new_ones", size, given, input._a.dtype)
    return made(filled(n, 1, d), grad)


@public("Tensor")
@composite
def new_empty(input: Value, *size: Any, **given: Any) -> Value:
    """Values that say nothing, zeros, of another shape, in this tensor's dtype."""
    n = size_of("new_empty", size, given)
    d, grad = options("new_empty", size, given, input._a.dtype)
    return made(_plain(np.zeros(n, d)), grad)


@public("Tensor")
@composite
def new_full(input: Value, size: Any, fill_value: Any, **given: Any) -> Value:
    """One value in another shape, in this tensor's dtype."""
    if not isinstance(size, (tuple, list)):
        raise EngineTypeError(
            f"new_full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}"
        )
    n = size_of("new_full", (size,))
    d, grad = options("new_full", (size, fill_value), given, input._a.dtype)
    return made(filled(n, _value("new_full", "fill_value", 2, fill_value), d), grad)


@public("Tensor")
@composite
def new_tensor(input: Value, data: Any, **given: Any) -> Value:
    """A copy of data, in this tensor's dtype."""
    d, grad = options("new_tensor", (data,), given, input._a.dtype)
    return made(as_array(data, d), grad)


@public("torch")
@composite
def empty_strided(size: Any, stride: Any, **given: Any) -> Tensor:
    """Zeros in a shape, laid out in memory with these strides."""
    n = size_of("empty_strided", (size,))
    if len(n) != len(stride):
        fail(f"dimensionality of sizes ({len(n)}) must match dimensionality of strides ({len(stride)})")
    if builtins.any(s < 0 for s in stride):
        fail(f"Storage size calculation overflowed with sizes={list(n)} and strides={list(stride)}")
    d, grad = options("empty_strided", (size, stride), given)
    span = 1 + builtins.sum((k - 1) * s for k, s in zip(n, stride, strict=True)) if math.prod(n) else 0
    memory = np.zeros(span, d)
    return made(np.ndarray(n, d, memory, 0, tuple(s * d.itemsize for s in stride)), grad)


# -- what Python and NumPy hold -----------------------------------------------------------------


@public("torch")
@composite
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        shown = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise EngineTypeError(f"expected np.ndarray (got {shown})")
    return made(shareable(ndarray))


@public("torch")
@composite
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Value:
    """A tensor of data, sharing its memory where that can be."""
    if device is not None:
        Device(device)
    d = None if dtype is None else _chosen("as_tensor", dtype)
    if isinstance(data, Tensor):
        return data if d is None or d == data._a.dtype else convert.to_copy(data, d)
    if isinstance(data, np.ndarray) and (d is None or d == data.dtype):
        return made(shareable(data))
    return made(as_array(data, d))


@public("torch")
@composite
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: Any = None, requires_grad: bool = False) -> Value:
    """A tensor of data, sharing its memory unless a copy is asked for."""
    t = as_tensor(obj, dtype, device)
    if copy:
        t = convert.clone(t) if t is obj else made(np.array(t._a)[()] if not t._a.ndim else np.array(t._a))
    if requires_grad and t._node is None:
        return made(t._a, True)
    return t


def legacy(d: Any, args: tuple[Any, ...], given: dict[str, Any], exact: bool = False) -> Tensor:
    """What the constructor of a tensor type makes: of ints a shape, of a sequence its numbers."""
    if given.keys() - {"device"}:
        raise invalid("new", args, given)
    if given.get("device") is not None:
        Device(given["device"])
    if len(args) == 1 and not isinstance(args[0], Size):
        (data,) = args
        if isinstance(data, Tensor):
            if exact and data._a.dtype != d:
                raise EngineTypeError(f"expected a tensor of dtype {DTYPES[d]} (got one of {data.dtype})")
            return shape.alias(data)  # type: ignore[no-any-return]
        if isinstance(data, str):
            raise EngineTypeError("new(): invalid data type 'str'")
        if isinstance(data, (list, tuple, np.ndarray)):
            return made(as_array(data, d))
        if not isinstance(data, (int, np.integer)):
            raise EngineTypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    if builtins.any(isinstance(x, (list, tuple)) and not isinstance(x, Size) for x in args):
        raise invalid("new", args, given)
    return made(np.zeros(size_of("new", args or (0,)), d))


class _TensorType(type):
    """torch.FloatTensor and its like: a constructor, and what isinstance asks of a tensor's dtype."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return legacy(cls.dtype.np, args, kwargs, exact=True)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and x._a.dtype == cls.dtype.np


for _d in DTYPES.values():
    if not _d.is_complex:
        _type = _TensorType(_d.tensor_name + "Tensor", (), {"dtype": _d, "__module__": "torch"})
        public(f"torch.{_type.__name__}")(_type)


@public("Tensor")
@composite
def new(input: Value, *args: Any, **kwargs: Any) -> Value:
    """A tensor of this one's dtype: of these numbers, or of this shape and all zeros."""
    return legacy(input._a.dtype, args, kwargs)
