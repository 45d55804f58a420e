"""Changes of element type, copies, and questions about dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError, EngineValueError, Unsupported
from ... import dtypes, ops
from ...call_errors import fail, no_overload, not_a_tensor, only_tensor
from ...declaration import given_for_out
from ...dtypes import CATEGORY, DTYPES, as_numpy, dtype
from ...memory.layout import converted_like
from ...memory.places import Device, MemoryFormat, contiguous_format, not_built, reached
from ...modes import mode
from ...numeric.halves import converted
from ...numeric.meta import NO_DATA, Meta, put
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..memory_order import CHANNELS_LAST, is_channels_last

# -- copies ------------------------------------------------------------------------------------


# The axes from the slowest in memory to the fastest.
_CHANNELS_LAST = {"channels_last": CHANNELS_LAST[4], "channels_last_3d": CHANNELS_LAST[5]}


def order_of(function: str, memory_format: Any) -> str:
    """The bare name of a memory format; "preserve_format" for None."""
    if memory_format is None:
        return "preserve_format"
    if not isinstance(memory_format, MemoryFormat):
        got = type(memory_format).__name__
        raise EngineTypeError(f"{function}(): argument 'memory_format' must be torch.memory_format, not {got}")
    return memory_format.name


def _copy(a: Array, d: Any, memory_format: str) -> Array:
    """A copy in dtype ``d``, laid out in memory as asked."""
    if not isinstance(a, np.ndarray):
        return a.astype(d) if type(a) is Meta else converted(a, d)
    if memory_format in _CHANNELS_LAST:
        axes = _channels_last(a, memory_format)
        back = sorted(range(a.ndim), key=axes.__getitem__)
        return converted(a.transpose(axes), d, "C").transpose(back)
    r = converted(a, d, "C") if memory_format == "contiguous_format" else converted_like(a, d)
    return r if r.ndim else r[()]


def laid_out_as(a: Array, memory_format: str) -> Array:
    """A copy of an array, in the order of a memory format."""
    return _copy(a, a.dtype, memory_format)


def _channels_last(a: Array, memory_format: str) -> list[int]:
    return channels_last_axes(a.ndim, memory_format)


def channels_last_axes(ndim: int, memory_format: str) -> list[int]:
    """The axes from the slowest in memory to the fastest, in a format whose channels come last."""
    axes = _CHANNELS_LAST[memory_format]
    if ndim != len(axes):
        fail(f"required rank {len(axes)} tensor to use {memory_format} format")
    return axes


def lies(a: Array, memory_format: str) -> bool:
    """Tell whether an array lies in memory as asked."""
    if memory_format in _CHANNELS_LAST:
        return bool(a.transpose(_channels_last(a, memory_format)).flags.c_contiguous)
    return bool(a.flags.c_contiguous)


def lies_as(a: Array, memory_format: Any) -> bool:
    """Tell whether an array lies in memory as a format has it."""
    name = order_of("is_contiguous", memory_format)
    return (name not in _CHANNELS_LAST or a.ndim == len(_CHANNELS_LAST[name])) and lies(a, name)


@primitive(node="ToCopyBackward0", self=lambda g: g, broadcasts=True, form="stacked")
def to_copy(self: Array, dtype: Any, memory_format: str = "preserve_format") -> Array:
    """A copy in another element type."""
    if self.dtype.kind == "c" and dtype.kind != "c":
        if dtype.kind != "f":
            self = self.real
        else:
            # A complex-step reading keeps its direction.
            dtype = np.dtype("complex64") if dtype.itemsize == 4 else np.dtype("complex128")
    return _copy(self, dtype, memory_format)


@primitive(node="CloneBackward0", self=lambda g: g, rounding="exact", form="stacked")
def copied(self: Array, memory_format: str = "preserve_format") -> Array:
    """A copy in memory of its own."""
    return _copy(self, self.dtype, memory_format)


@public("torch Tensor")
@composite
def clone(input: Value, *, memory_format: Any = None) -> Value:
    """A copy in memory of its own, with a place in the graph."""
    return copied(input, order_of("clone", memory_format))


@public("Tensor")
@composite
def contiguous(input: Value, memory_format: Any = contiguous_format) -> Value:
    """The tensor itself, or a copy whose elements lie in memory in row-major order."""
    name = order_of("contiguous", memory_format)
    if name == "preserve_format" and not _raw(input).flags.c_contiguous:
        fail("preserve memory format is unsupported by the contiguous operator")
    return input if lies(_raw(input), name) else copied(input, name)


@public("torch")
def detach(input: Tensor) -> Tensor:
    """The same memory, outside the graph."""
    return input.detach()


public("torch.detach_")(Tensor.detach_)


# -- other element types -----------------------------------------------------------------------


def _raw(x: Value) -> Array:
    return x._a if isinstance(x, Tensor) else x


def cast(input: Value, d: Any, copy: bool = False) -> Value:
    """A tensor in a NumPy dtype: itself if it is so already."""
    return input if _raw(input).dtype is d and not copy else to_copy(input, d, "preserve_format")


def like(input: Value, other: Value) -> Value:
    """A value in the dtype of another, for rules."""
    mine, its = _raw(input).dtype, _raw(other).dtype
    return input if mine is its or mine.kind == "c" else to_copy(input, its, "preserve_format")


@public("Tensor")
@composite
def to(
    input: Value,
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Value:
    """The tensor in another dtype, or in that of another tensor; itself if nothing changes."""
    del non_blocking
    given = list(args)
    if given and isinstance(given[0], Tensor):
        dtype = DTYPES[given.pop(0)._a.dtype]
    else:
        if given and (given[0] is None or isinstance(given[0], (str, Device))):
            device = given.pop(0)
        if given and (given[0] is None or _is_dtype(given[0])):
            dtype = given.pop(0)
    if len(given) > 2 or not all(isinstance(x, bool) for x in given):
        raise no_overload("to", *args)
    copy = given[1] if len(given) == 2 else copy
    if device is not None and (place := reached(device)).type != input.device.type:
        input = _moved(input, place)
    if dtype is not None and not _is_dtype(dtype):
        raise no_overload("to", dtype)
    d = input._a.dtype if dtype is None else as_numpy(dtype)
    name = order_of("to", memory_format)
    if d is input._a.dtype and not copy and (name == "preserve_format" or _lies_in(input._a, name)):
        return input
    return to_copy(input, d, name)


def _lies_in(a: Array, memory_format: str) -> bool:
    """Tell whether a format is that of an array: all that have no other are contiguous, however they lie."""
    if memory_format not in _CHANNELS_LAST:
        return not is_channels_last(a)
    # Its very strides, also along axes of one element.
    step, wanted = a.itemsize, [0] * a.ndim
    for axis in reversed(_channels_last(a, memory_format)):
        wanted[axis] = step
        step *= max(a.shape[axis], 1)
    return bool(tuple(wanted) == a.strides)


def _moved(input: Tensor, device: Device) -> Tensor:
    """A tensor without its numbers; there is no way back."""
    if device.type == "cpu":
        raise EngineNotImplementedError(NO_DATA)
    if input.requires_grad and mode.grad:
        raise Unsupported("recording a move to device 'meta' is not supported", help="move what detach() gives")
    return result(put(input._a))


def _is_dtype(x: Any) -> bool:
    return isinstance(x, dtype) or x in (float, int, bool, complex)


@public("Tensor")
@composite
def type_as(input: Value, other: Value) -> Value:
    """The tensor in the dtype of another."""
    if not isinstance(other, Tensor):
        raise not_a_tensor("type_as", "other", 1, other)
    return cast(input, other._a.dtype)


_NAMED = {f"torch.{d.tensor_name}Tensor": d for d in DTYPES.values()}


@public("Tensor.type")
def typed(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type; or the tensor in another dtype."""
    del non_blocking
    if dtype is None:
        return f"torch.{DTYPES[input._a.dtype].tensor_name}Tensor"
    if getattr(dtype, "is_cuda", False) or (isinstance(dtype, str) and dtype.startswith("torch.cuda.")):
        raise not_built("cuda")
    if isinstance(dtype, str):
        if dtype not in _NAMED:
            raise EngineValueError(f"invalid type: '{dtype}'")
        dtype = _NAMED[dtype]
    elif isinstance(dtype, type) and isinstance(named := getattr(dtype, "dtype", None), dtypes.dtype):
        # A class of tensors such as torch.FloatTensor.
        dtype = named
    elif dtype is Tensor:
        dtype = dtypes.get_default_dtype()
    elif isinstance(dtype, type):
        raise EngineValueError(f"invalid type: '{dtype.__name__}'")
    elif not isinstance(dtype, dtypes.dtype):
        raise EngineTypeError("dtype must be a type, str, or dtype object")
    return cast(input, as_numpy(dtype))


def _caster(name: str, d: dtype) -> Any:
    def function(input: Value, memory_format: Any = None) -> Value:
        return cast(input, d.np) if memory_format is None else to(input, d, memory_format=memory_format)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The tensor in {d.name}; itself if it is so already."
    return function


public("Tensor.float")(_caster("float", dtypes.float32))
public("Tensor.double")(_caster("double", dtypes.float64))
public("Tensor.half")(_caster("half", dtypes.float16))
public("Tensor.bfloat16")(_caster("bfloat16", dtypes.bfloat16))
public("Tensor.bool")(_caster("bool", dtypes.bool_))
public("Tensor.byte")(_caster("byte", dtypes.uint8))
public("Tensor.char")(_caster("char", dtypes.int8))
public("Tensor.short")(_caster("short", dtypes.int16))
public("Tensor.int")(_caster("int", dtypes.int32))
public("Tensor.long")(_caster("long", dtypes.int64))
public("Tensor.cfloat")(_caster("cfloat", dtypes.complex64))
public("Tensor.cdouble")(_caster("cdouble", dtypes.complex128))


@public("Tensor")
def module_load(input: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """The tensor that changes places with this member of a module when another is loaded into it."""
    return other.detach() if assign else input.copy_(other).detach()


# -- real tensors read as complex ones ----------------------------------------------------------


@public("torch")
def real(input: Tensor) -> Value:
    """The real part, a view; the tensor itself where it is real."""
    return ops.parts.real(input) if only_tensor("real", input).is_complex() else input


@public("torch Tensor")
@given_for_out("Found dtype {given} but expected {found}")
def conj_physical(input: Tensor) -> Value:
    """The conjugate, in memory of its own; the tensor itself where it is real."""
    return ops.parts.conj_physical(input) if only_tensor("conj_physical", input).is_complex() else input


@public("torch Tensor")
def conj_physical_(input: Tensor) -> Value:
    """The conjugate, written in its place."""
    return ops.parts.conj_physical_(input)


@public("torch")
def imag(input: Tensor) -> Value:
    """The imaginary part, a view; a real tensor has none."""
    if not only_tensor("imag", input).is_complex():
        fail("imag is not implemented for tensors with non-complex dtypes.")
    return ops.parts.imag(input)


@public("torch Tensor")
def conj(input: Tensor) -> Value:
    """The conjugate, a view; the tensor itself where it is real."""
    return ops.lazy.conjugate(input) if only_tensor("conj", input).is_complex() else input


@public("torch Tensor")
def resolve_conj(input: Tensor) -> Value:
    """The tensor itself, or a clone of a conjugate that is in no memory."""
    return ops.parts.resolve_conj(input) if only_tensor("resolve_conj", input).is_complex() else input


@public("torch Tensor")
def resolve_neg(input: Tensor) -> Value:
    """The tensor itself, or a clone of a negative that is in no memory."""
    return ops.parts.resolve_neg(input) if only_tensor("resolve_neg", input)._base is not None else input


def _fill(part: Value, value: Any) -> None:
    if isinstance(value, Tensor):
        part.copy_(value)
    else:
        part.fill_(value)


def _set_real(input: Tensor, value: Any) -> None:
    _fill(real(input), value)


def _set_imag(input: Tensor, value: Any) -> None:
    _fill(imag(input), value)


public("Tensor.real")(property(real, _set_real))
public("Tensor.imag")(property(imag, _set_imag))


# -- questions -----------------------------------------------------------------------------------


@public("torch")
def is_tensor(obj: Any) -> bool:
    """Tell whether an object is a tensor."""
    return isinstance(obj, Tensor)


@public("torch")
def is_floating_point(input: Tensor) -> bool:
    """Tell whether the element type is a floating one."""
    return only_tensor("is_floating_point", input).is_floating_point()


@public("torch")
def is_complex(input: Tensor) -> bool:
    """Tell whether the element type is a complex one."""
    return only_tensor("is_complex", input).is_complex()


@public("torch Tensor")
def is_signed(input: Tensor) -> bool:
    """Tell whether the element type has negative numbers."""
    return only_tensor("is_signed", input).dtype.is_signed


@public("torch Tensor")
def is_nonzero(input: Tensor) -> bool:
    """Tell whether the one element is nonzero."""
    return bool(only_tensor("is_nonzero", input))


@public("torch Tensor")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same shape."""
    return bool(input._a.shape == only_tensor("is_same_size", other)._a.shape)


@public("torch")
def numel(input: Tensor) -> int:
    """The number of elements."""
    return only_tensor("numel", input).numel()


@public("torch")
def result_type(tensor: Any, other: Any) -> dtype:
    """The dtype of a result of arithmetic between tensors or numbers."""
    for x in (tensor, other):
        if not isinstance(x, (Tensor, int, float, complex, np.generic)):
            raise no_overload("result_type", tensor, other)
    return DTYPES[dtypes.promote(_raw(tensor), _raw(other))]


def _dtypes(name: str, **given: Any) -> None:
    """Refuse arguments that are no element types."""
    for position, (argument, d) in enumerate(given.items(), 1):
        if not isinstance(d, dtype):
            raise EngineTypeError(
                f"{name}(): argument '{argument}' (position {position}) must be torch.dtype, not {type(d).__name__}"
            )


@public("torch")
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both convert to."""
    _dtypes("promote_types", type1=type1, type2=type2)
    return DTYPES[dtypes.wider(type1.np, type2.np)]


@public("torch")
def can_cast(from_: dtype, to: dtype) -> bool:
    """Tell whether a result of one dtype may be written to another: not to a lower category."""
    _dtypes("can_cast", from_=from_, to=to)
    return CATEGORY[from_.np.kind] <= CATEGORY[to.np.kind]
