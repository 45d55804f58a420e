"""Changes of element type, copies, and questions about dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import EngineTypeError, Unsupported
from .. import dtypes
from ..dtypes import CATEGORY, DTYPES, F64, as_numpy, dtype
from ..registry import composite, fail, no_overload, not_a_tensor, primitive, public
from ..tensor import Array, Device, Tensor, Value

# -- copies ------------------------------------------------------------------------------------


def _order(a: Array) -> Any:
    """The layout of a copy: that of the original, unless elements share memory."""
    return "C" if 0 in a.strides else "K"


@primitive(node="ToCopyBackward0", self=lambda g: g, broadcasts=True)
def to_copy(self: Array, dtype: Any) -> Array:
    """A copy in another element type."""
    if self.dtype.kind == "c" and dtype.kind != "c":
        if dtype.kind != "f":
            self = self.real
        else:
            # A complex-step reading keeps its direction.
            dtype = np.dtype("complex64") if dtype.itemsize == 4 else np.dtype("complex128")
    return self.astype(dtype, _order(self)) if isinstance(self, np.ndarray) else self.astype(dtype)


@primitive(node="CloneBackward0", self=lambda g: g)
def copied(self: Array, contiguous: Any = False) -> Array:
    """A copy in memory of its own."""
    return np.array(self, order="C" if contiguous else _order(self))[()] if isinstance(self, np.ndarray) else self


@public("torch Tensor")
@composite
def clone(input: Value, *, memory_format: Any = None) -> Value:
    """A copy in memory of its own, with a place in the graph."""
    return copied(input, "contiguous_format" in str(memory_format))


@public("Tensor")
@composite
def contiguous(input: Value, *, memory_format: Any = None) -> Value:
    """The tensor itself, or a copy whose elements lie in memory in row-major order."""
    if "channels_last" in str(memory_format):
        raise Unsupported("contiguous(): memory_format=torch.channels_last is not supported")
    return input if _raw(input).flags.c_contiguous else copied(input, True)


@public("torch")
def detach(input: Tensor) -> Tensor:
    """The same memory, outside the graph."""
    return input.detach()


# -- other element types -----------------------------------------------------------------------


def _raw(x: Value) -> Array:
    return x._a if isinstance(x, Tensor) else x


def cast(input: Value, d: Any, copy: bool = False) -> Value:
    """A tensor in a NumPy dtype: itself if it is so already."""
    return input if _raw(input).dtype is d and not copy else to_copy(input, d)


def like(input: Value, other: Value) -> Value:
    """A value in the dtype of another, for rules."""
    mine, its = _raw(input).dtype, _raw(other).dtype
    return input if mine is its or mine.kind == "c" else to_copy(input, its)


_C_TYPES = {
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "float16": "c10::Half", "float32": "float",
}  # fmt: skip


def refuse_overflow(number: Any, d: Any) -> None:
    """Refuse a number that a dtype cannot hold."""
    if d is F64 or 0 <= number <= 127 or d.kind in "bc":
        return
    if d.kind == "f":
        fits = number != number or abs(number) <= np.finfo(d).max or abs(number) == float("inf")
    else:
        info = np.iinfo(d)
        # A negative integer may wrap around.
        least = info.min if d.kind == "i" else -info.max if isinstance(number, int) else 0
        fits = least <= number <= info.max
    if not fits:
        fail(f"value cannot be converted to type {_C_TYPES[d.name]} without overflow")


def held(number: Any, d: Any) -> Any:
    """A number in a dtype, which must be able to hold it."""
    refuse_overflow(number, d)
    return d.type(number) if d.kind in "fc" else np.asarray(number).astype(d)[()]


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
        dtype = given.pop(0)._a.dtype
    else:
        if given and (given[0] is None or isinstance(given[0], (str, Device))):
            device = given.pop(0)
        if given and (given[0] is None or _is_dtype(given[0])):
            dtype = given.pop(0)
    if len(given) > 2 or not all(isinstance(x, bool) for x in given):
        raise no_overload("to", *args)
    copy = given[1] if len(given) == 2 else copy
    if device is not None:
        Device(device)
    if "channels_last" in str(memory_format):
        raise Unsupported("to(): memory_format=torch.channels_last is not supported")
    if dtype is not None and not _is_dtype(dtype) and not isinstance(dtype, np.dtype):
        raise no_overload("to", dtype)
    return cast(input, input._a.dtype if dtype is None else as_numpy(dtype), copy)


def _is_dtype(x: Any) -> bool:
    return isinstance(x, dtype) or x in (float, int, bool)


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
    if isinstance(dtype, str):
        if dtype not in _NAMED:
            raise EngineTypeError(f"invalid type: '{dtype}'")
        dtype = _NAMED[dtype]
    return cast(input, as_numpy(dtype))


def _caster(name: str, d: dtype) -> Any:
    def function(input: Value, memory_format: Any = None) -> Value:
        del memory_format
        return cast(input, d.np)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The tensor in {d.name}; itself if it is so already."
    return public("Tensor")(function)


for _name, _dtype in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bool": dtypes.bool_,
    "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32, "long": dtypes.int64,
    "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}.items():  # fmt: skip
    _caster(_name, _dtype)


# -- real tensors read as complex ones ----------------------------------------------------------


@public("torch torch.conj Tensor.conj torch.resolve_conj Tensor.resolve_conj torch.resolve_neg Tensor.resolve_neg")
def real(input: Tensor) -> Tensor:
    """The tensor itself: it is real."""
    return input


@public("torch")
def imag(input: Tensor) -> Tensor:
    """Refused: a real tensor has no imaginary part."""
    del input
    return fail("imag is not implemented for tensors with non-complex dtypes.")


public("Tensor.real")(property(real))
public("Tensor.imag")(property(imag))


# -- questions -----------------------------------------------------------------------------------


def _of(name: str, x: Any) -> Tensor:
    if not isinstance(x, Tensor):
        raise not_a_tensor(name, "input", 1, x)
    return x


@public("torch")
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


@public("torch")
def is_floating_point(input: Tensor) -> bool:
    """Whether the element type is a floating one."""
    return _of("is_floating_point", input).is_floating_point()


@public("torch")
def is_complex(input: Tensor) -> bool:
    """Whether the element type is a complex one."""
    return _of("is_complex", input).is_complex()


@public("Tensor")
def is_signed(input: Tensor) -> bool:
    """Whether the element type has negative numbers."""
    return bool(input._a.dtype.kind in "ifc")


@public("torch Tensor")
def is_nonzero(input: Tensor) -> bool:
    """Whether the one element is nonzero."""
    return bool(_of("is_nonzero", input))


@public("torch Tensor")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return bool(input._a.shape == _of("is_same_size", other)._a.shape)


@public("torch")
def numel(input: Tensor) -> int:
    """How many elements there are."""
    return _of("numel", input).numel()


@public("torch")
def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of a result of arithmetic between tensors or numbers."""
    return DTYPES[dtypes.promote(_raw(tensor1), _raw(tensor2))]


@public("torch")
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both convert to."""
    return DTYPES[dtypes.wider(type1.np, type2.np)]


@public("torch")
def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of one dtype may be written to another: not to a lower category."""
    return CATEGORY[from_.np.kind] <= CATEGORY[to.np.kind]
