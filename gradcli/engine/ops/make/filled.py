"""New tensors: of one value, in steps, like others."""

from __future__ import annotations

import builtins
import math
import operator
from functools import cache
from typing import Any

import numpy as np

from ....errors import EngineTypeError, Unsupported
from ... import dtypes, ops
from ...call_errors import fail, warn_copy_construct
from ...costs import SQUARED, costs
from ...dtypes import B8, F32, I64, full_of, limits_of, zeros_of
from ...flags import DETERMINISTIC, FILLS, settings
from ...from_python import as_array
from ...memory.layout import array_in, empty_like as memory_like, unwrapped
from ...memory.places import Layout, preserve_format, strided
from ...modes import devices
from ...numeric.halves import converted
from ...numeric.meta import Meta, OnMeta
from ...registry import composite, public
from ...tensor import Array, Tensor, Value, _chosen, copied, made, made_like, wished

# -- the arguments that all of these share ----------------------------------------------------

_OPTIONS = frozenset(("dtype", "layout", "device", "requires_grad", "pin_memory", "out", "names", "memory_format"))


# What PyTorch declares more than once speaks of its signatures when called wrongly.
_SEVERAL = frozenset(
    ("rand", "randn", "randint", "randint_like", "eye", "arange", "linspace", "logspace", "normal", "random_", "new")
)


def invalid(name: str, args: Any, kwargs: dict[str, Any]) -> EngineTypeError:
    """PyTorch's words for arguments that fit no signature."""
    if name not in _SEVERAL:
        for k in kwargs:
            if k not in _OPTIONS:
                return EngineTypeError(f"{name}() got an unexpected keyword argument '{k}'")
        if not args:
            return EngineTypeError(f'{name}() missing 1 required positional arguments: "size"')
        return EngineTypeError(f"{name}() takes 1 positional argument but {len(args)} were given")
    shown = [type(x).__name__ for x in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()]
    return EngineTypeError(f"{name}() received an invalid combination of arguments - got ({', '.join(shown)})")


def options(
    name: str, args: Any, given: dict[str, Any], default: Any = None, beside: Tensor | None = None
) -> tuple[Any, bool | OnMeta]:
    """The NumPy dtype and requires_grad among keyword arguments; the others are of no effect, or refused.

    What is made of a tensor is put ``beside`` it, where no other device is named.
    """
    if not given and not devices() and (beside is None or not beside.is_meta):
        return dtypes.default.float if default is None else default, False
    if not given.keys() <= _OPTIONS:
        raise invalid(name, args, given)
    for refused in ("out", "names"):
        if given.get(refused) is not None:
            raise Unsupported(f"{name}(): {refused}= is not supported")
    layout = given.get("layout")
    if layout is not None and layout is not strided:
        if not isinstance(layout, Layout):
            raise EngineTypeError(f"{name}(): argument 'layout' must be torch.layout, not {type(layout).__name__}")
        raise Unsupported(f"{name}(): layout={layout} is not supported")
    if given.get("memory_format") is preserve_format and not name.endswith("_like"):
        fail("unsupported memory format Preserve")
    d = given.get("dtype")
    d = default if d is None else _chosen(name, d)
    if d is None:
        d = dtypes.default.float
    device = given.get("device")
    if device is None and beside is not None:
        device = beside.device
    return d, wished(device, bool(given.get("requires_grad")))


def size_of(name: str, size: tuple[Any, ...], given: dict[str, Any] | None = None) -> tuple[int, ...]:
    """A shape, from ints or from one sequence of them."""
    if not size:
        if given is None or "size" not in given:
            raise invalid(name, size, given or {})
        size = (given.pop("size"),)
    whole = len(size) == 1 and isinstance(size[0], (tuple, list))
    items = size[0] if whole else size
    if not builtins.all(type(n) is int for n in items):
        if index_of(items[0]) is None or isinstance(items[0], bool):
            if len(size) > 1:
                raise invalid(name, size, given or {})
            kind = type(items[0]).__name__
            found = f"but found element of type {kind} at pos 0" if whole else f"not {kind}"
            raise EngineTypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, {found}")
        for i, n in enumerate(items):
            if index_of(n) is None:
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


def index_of(n: Any) -> int | None:
    """An int, of whatever can serve as one."""
    try:
        return operator.index(n)
    except TypeError:
        return None


def number(x: Any) -> Any:
    """A Python number; of a 0-d tensor or of NumPy's too."""
    plain = x._a.ndim == 0 and x._node is None if isinstance(x, Tensor) else isinstance(x, np.generic)
    return x.item() if plain else x


def filled(shape_: Any, value: Any, d: Any) -> Array:
    """An array of one value, which must have a place in the dtype."""
    value = fitted(value, d)
    if not shape_:
        return value
    return full_of(shape_, value, d)


@cache
def _limits(d: Any) -> tuple[Any, Any, Any]:
    """The least float, the least integer and the greatest number that a dtype takes."""
    if d.kind == "f":
        most = builtins.float(limits_of(d).max)
        return -most, -most, most
    if d.kind not in "iu":
        return -math.inf, -math.inf, math.inf
    i = np.iinfo(d)
    # Negative integers wrap around in an unsigned dtype.
    return builtins.int(i.min), builtins.int(i.min or -i.max), builtins.int(i.max)


# How C++ calls what a number does not fit into.
_C_NAMES = {
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double", "int32": "int",
}  # fmt: skip


def fitted(value: Any, d: Any) -> Any:
    """A Python number as one of NumPy's, which must have a place for it."""
    if d.kind == "b":
        return d.type(bool(value))
    if d.kind == "c":
        return d.type(value)
    if isinstance(value, complex):
        # A number without an imaginary part is real.
        if value.imag:
            fail(f"value cannot be converted to type {_C_NAMES.get(d.name, d.name + '_t')} without overflow")
        value = value.real
    least_float, least, most = _limits(d)
    if not (least if isinstance(value, int) else least_float) <= value <= most:
        if d.kind != "f" or value - value == 0:
            fail(f"value cannot be converted to type {_C_NAMES.get(d.name, d.name + '_t')} without overflow")
        return d.type(value)
    if d.kind == "f":
        return d.type(F32.type(value) if d.itemsize == 2 else value)
    return np.int64(builtins.int(value)).astype(d)


# -- one value --------------------------------------------------------------------------------


@public("torch")
@costs("making.made")
@composite
def zeros(*size: Any, **given: Any) -> Tensor:
    """A tensor of zeros."""
    n = size_of("zeros", size, given)
    d, grad = options("zeros", size, given)
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    return made(zeros_of(n, d) if n else d.type(0), grad)


@public("torch")
@costs("making.made")
@composite
def ones(*size: Any, **given: Any) -> Tensor:
    """A tensor of ones."""
    n = size_of("ones", size, given)
    d, grad = options("ones", size, given)
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    return made(filled(n, 1, d), grad)


@public("torch")
@costs("making.made")
@composite
def empty(*size: Any, **given: Any) -> Tensor:
    """A tensor of values that say nothing: zeros."""
    n = size_of("empty", size, given)
    d, grad = options("empty", size, given)
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    if given.get("memory_format") is not None:
        return made(unwritten(zeros_of(n, d)), grad).contiguous(memory_format=given["memory_format"])
    a = unwritten(zeros_of(n, d))
    return made(a if n else d.type(a.item()), grad)


def unwritten(a: Array) -> Array:
    """Memory that nothing was written to: as it is, or filled as PyTorch does where results are to be repeatable."""
    if settings.get(DETERMINISTIC) and settings.get(FILLS, True):
        d = a.dtype
        a.fill(np.iinfo(d).max if d.kind in "iu" else True if d.kind == "b" else np.nan)
    return a


@public("torch")
@costs("making.full")
@composite
def full(size: Any, fill_value: Any, **given: Any) -> Tensor:
    """A tensor of one value, whose kind decides the dtype."""
    if not isinstance(size, (tuple, list)):
        raise EngineTypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    n = size_of("full", (size,))
    value = scalar("full", "fill_value", 2, fill_value)
    d = dtypes.default_complex() if isinstance(value, complex) else dtypes.default.float
    d = B8 if isinstance(value, bool) else I64 if isinstance(value, int) else d
    d, grad = options("full", (size, fill_value), given, d)
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    return made(filled(n, value, d), grad)


def real(name: str, argument: str, position: int, x: Any) -> Any:
    """A real number, of an argument that is to be one."""
    value = scalar(name, argument, position, x)
    if isinstance(value, complex):
        raise Unsupported(f"{name}(): {argument} may not be a complex number here")
    return value


def scalar(name: str, argument: str, position: int, x: Any) -> Any:
    """A number, of an argument that is to be one."""
    value = number(x)
    if not isinstance(value, (int, float, complex)):
        raise EngineTypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Number, not {type(value).__name__}"
        )
    return value


@public("torch")
@composite
def scalar_tensor(s: Any, **given: Any) -> Tensor:
    """A 0-d tensor, of the default dtype unless one is given."""
    d, grad = options("scalar_tensor", (s,), given)
    return made(fitted(scalar("scalar_tensor", "s", 1, s), d), grad)


@public("torch")
@costs("making.eye", careful=SQUARED)
@composite
def eye(n: Any, m: Any = None, **given: Any) -> Tensor:
    """The identity matrix, or a part of it."""
    d, grad = options("eye", (n,), given)
    rows = whole_number("eye", "n", 1, n)
    columns = rows if m is None else whole_number("eye", "m", 2, m)
    if rows < 0:
        fail(f"n must be greater or equal to 0, got {rows}")
    if columns < 0:
        fail(f"m must be greater or equal to 0, got {columns}")
    return made(converted(np.eye(rows, columns), d), grad)


def whole_number(name: str, argument: str, position: int, x: Any) -> int:
    """An int, of an argument that is to be one."""
    found = None if isinstance(x, bool) else index_of(x)
    if found is None:
        raise EngineTypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type(x).__name__}"
        )
    return found


# -- like others ------------------------------------------------------------------------------


def like(name: str, input: Any, given: dict[str, Any]) -> tuple[Array, bool | OnMeta]:
    """Zeros in memory like a tensor's, in the dtype that the options choose, and requires_grad."""
    if not isinstance(input, Tensor):
        raise EngineTypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    a = input._a
    d, grad = options(name, (input,), given, a.dtype, input)
    if type(a) is Meta:
        return zeros_of(a.shape, d), grad
    order = ops.converting.order_of(name, given.get("memory_format"))
    if not a.ndim and "channels" not in order:
        return zeros_of((), d), grad
    if order == "preserve_format":
        return memory_like(a, d), grad
    return ops.converting.laid_out_as(zeros_of(a.shape, d), order), grad


@public("torch")
@composite
def zeros_like(input: Value, **given: Any) -> Value:
    """Zeros in a tensor's shape and dtype."""
    a, grad = like("zeros_like", input, given)
    return made_like(input, unwrapped(a), grad)


@public("torch")
@composite
def ones_like(input: Value, **given: Any) -> Value:
    """Ones in a tensor's shape and dtype."""
    a, grad = like("ones_like", input, given)
    a.fill(1)
    return made_like(input, unwrapped(a), grad)


@public("torch")
@composite
def empty_like(input: Value, **given: Any) -> Value:
    """Values that say nothing, zeros, in a tensor's shape and dtype."""
    a, grad = like("empty_like", input, given)
    return made_like(input, unwrapped(unwritten(a)), grad)


@public("torch")
@composite
def full_like(input: Value, fill_value: Any, **given: Any) -> Value:
    """One value in a tensor's shape and dtype."""
    a, grad = like("full_like", input, given)
    a.fill(fitted(scalar("full_like", "fill_value", 2, fill_value), a.dtype))
    return made_like(input, unwrapped(a), grad)


@public("Tensor")
@costs("making.new")
@composite
def new_zeros(input: Value, *size: Any, **given: Any) -> Value:
    """Zeros of another shape, in this tensor's dtype."""
    n = size_of("new_zeros", size, given)
    d, grad = options("new_zeros", size, given, input._a.dtype, input)
    return made_like(input, unwrapped(zeros_of(n, d)), grad)


@public("Tensor")
@costs("making.new")
@composite
def new_ones(input: Value, *size: Any, **given: Any) -> Value:
    """Ones of another shape, in this tensor's dtype."""
    n = size_of("new_ones", size, given)
    d, grad = options("new_ones", size, given, input._a.dtype, input)
    return made_like(input, filled(n, 1, d), grad)


@public("Tensor")
@costs("making.new")
@composite
def new_empty(input: Value, *size: Any, **given: Any) -> Value:
    """Values that say nothing, zeros, of another shape, in this tensor's dtype."""
    n = size_of("new_empty", size, given)
    d, grad = options("new_empty", size, given, input._a.dtype, input)
    return made_like(input, unwrapped(unwritten(zeros_of(n, d))), grad)


@public("Tensor")
@costs("making.new_full")
@composite
def new_full(input: Value, size: Any, fill_value: Any, **given: Any) -> Value:
    """One value in another shape, in this tensor's dtype."""
    if not isinstance(size, (tuple, list)):
        raise EngineTypeError(
            f"new_full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}"
        )
    n = size_of("new_full", (size,))
    d, grad = options("new_full", (size, fill_value), given, input._a.dtype, input)
    return made_like(input, filled(n, scalar("new_full", "fill_value", 2, fill_value), d), grad)


@public("Tensor")
@composite
def new_tensor(input: Value, data: Any, **given: Any) -> Value:
    """A copy of data, in this tensor's dtype."""
    d, grad = options("new_tensor", (data,), given, input._a.dtype, input)
    if isinstance(data, Tensor):
        warn_copy_construct("tensor.new_tensor")
    return copied(made_like(input, as_array(data, d), grad), data)


@public("torch")
@costs("making.empty_strided")
@composite
def empty_strided(size: Any, stride: Any, **given: Any) -> Tensor:
    """Zeros in a shape, laid out in memory with these strides."""
    return _strided("empty_strided", size, stride, given, None)


@public("torch")
@costs("making.empty_strided")
@composite
def empty_permuted(size: Any, physical_layout: Any, **given: Any) -> Tensor:
    """Zeros in a shape, without gaps in memory, where the axes lie in this order."""
    n = size_of("empty_permuted", (size,))
    order = list(physical_layout)
    if len(order) != len(n):
        fail(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(n)} is not equal to len(physical_layout) = {len(order)}"
        )
    for place, i in enumerate(order):
        if not 0 <= i < len(n):
            fail(
                f"Dimension out of range (expected to be between 0 and {len(n) - 1}, but got {i} at index {place}).  "
                "NB: negative dims not currently supported; file an issue if you want it."
            )
    if len(set(order)) < len(order):
        fail("Duplicate dim not allowed")
    made_in_order: Any = empty([n[i] for i in order], **given)
    return made_in_order.permute(sorted(range(len(n)), key=order.__getitem__))  # type: ignore[no-any-return]


@public("Tensor")
@costs("making.new_full")
@composite
def new_empty_strided(input: Value, size: Any, stride: Any, **given: Any) -> Value:
    """Zeros in a shape, laid out in memory with these strides, in this tensor's dtype."""
    return _strided("new_empty_strided", size, stride, given, input._a.dtype)


def _strided(name: str, size: Any, stride: Any, given: dict[str, Any], default: Any) -> Tensor:
    n = size_of(name, (size,))
    if len(n) != len(stride):
        fail(f"dimensionality of sizes ({len(n)}) must match dimensionality of strides ({len(stride)})")
    if builtins.any(s < 0 for s in stride):
        fail(f"Storage size calculation overflowed with sizes={list(n)} and strides={list(stride)}")
    d, grad = options(name, (size, stride), given, default)
    span = 1 + builtins.sum((k - 1) * s for k, s in zip(n, stride, strict=True)) if math.prod(n) else 0
    memory = unwritten(zeros_of(span, d))
    return made(array_in(memory, d, n, 0, tuple(s * memory.itemsize for s in stride)), grad)
