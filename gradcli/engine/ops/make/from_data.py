"""Tensors of what Python and NumPy hold, and the constructors of old."""

from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy as np

from ....errors import EngineTypeError, EngineValueError, Unsupported
from ... import dtypes, ops
from ...costs import costs
from ...dtypes import DTYPES
from ...from_python import as_array, shareable
from ...memory.places import reached
from ...modes import devices
from ...registry import composite, public
from ...tensor import Size, Tensor, Value, _chosen, made, wished
from .filled import invalid, size_of


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
    d = None if dtype is None else _chosen("as_tensor", dtype)
    if isinstance(data, Tensor):
        if device is None and devices():
            device = devices()[-1]
        if device is not None:
            return ops.converting.to(data, device=device, dtype=dtype)
        return data if d is None or d == data._a.dtype else ops.converting.to_copy(data, d)
    if isinstance(data, np.ndarray) and (d is None or d == data.dtype):
        return made(shareable(data), wished(device, False))
    return made(as_array(data, d), wished(device, False))


@public("torch")
@composite
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: Any = None, requires_grad: bool | None = None
) -> Value:
    """A tensor of data, sharing its memory unless a copy is asked for."""
    if copy is False:
        _refuse_copy(obj, dtype)
    t = as_tensor(obj, dtype, device)
    if copy:
        t = ops.converting.clone(t) if t is obj else as_tensor(t.detach().clone())
    if requires_grad is None or requires_grad == t.requires_grad:
        return t
    return t.requires_grad_(requires_grad) if t.is_leaf else t.detach()


def _refuse_copy(obj: Any, dtype: Any) -> None:
    """Refuse what cannot be shared, where no copy may be made."""
    own = obj._a.dtype if isinstance(obj, Tensor) else obj.dtype if isinstance(obj, np.ndarray) else None
    if own is None:
        raise EngineValueError("can't alias arbitrary sequence into a tensor.")
    if dtype is not None and _chosen("asarray", dtype) != own:
        wanted = DTYPES[_chosen("asarray", dtype)].tensor_name
        raise EngineValueError(f"can't alias tensor with dtype '{DTYPES[own].tensor_name}' into dtype '{wanted}'.")


@public("torch")
@composite
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A tensor that shares the memory of a Python object."""
    d = _chosen("frombuffer", dtype)
    if d is dtypes.BF16:
        raise Unsupported("frombuffer() of bfloat16: gradcli keeps such numbers in single precision")
    try:
        with memoryview(buffer) as memory:
            n, readonly = memory.nbytes, memory.readonly
    except TypeError:
        raise EngineValueError("object does not implement Python buffer protocol.") from None
    if not n or not count:
        raise EngineValueError(f"both buffer length ({n}) and count ({count}) must not be 0")
    if not 0 <= offset < n:
        raise EngineValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({n} bytes) minus 1"
        )
    if count < 0:
        if (n - offset) % d.itemsize:
            raise EngineValueError(
                f"buffer length ({n - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
                f"({d.itemsize})"
            )
        count = (n - offset) // d.itemsize
    if offset + count * d.itemsize > n:
        raise EngineValueError(
            f"requested buffer length ({count} * {d.itemsize} bytes) after offset ({offset} bytes) must not be greater "
            f"than actual buffer length ({n} bytes)"
        )
    a = np.frombuffer(buffer, d, count, offset)
    if readonly:
        warnings.warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can "
            "write to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the "
            "buffer to protect its data or make it writable before converting it to a tensor. This type of warning "
            "will be suppressed for the rest of this program.",
            UserWarning,
            stacklevel=3,
        )
        a = a.copy()
    return made(a, requires_grad)


def legacy(d: Any, args: tuple[Any, ...], given: dict[str, Any], exact: bool = False) -> Tensor:
    """Construct as a tensor type does: ints are a shape, a sequence holds the numbers."""
    if given.keys() - {"device"}:
        raise invalid("new", args, given)
    if given.get("device") is not None:
        reached(given["device"])
    if len(args) == 1 and not isinstance(args[0], Size):
        (data,) = args
        if isinstance(data, Tensor):
            if exact and data._a.dtype != d:
                raise EngineTypeError(f"expected a tensor of dtype {DTYPES[d]} (got one of {data.dtype})")
            return ops.views.alias(data)  # type: ignore[no-any-return]
        if isinstance(data, str):
            raise EngineTypeError("new(): invalid data type 'str'")
        if isinstance(data, (list, tuple, range, np.ndarray)):
            return made(as_array(data, d))
        if not isinstance(data, (int, np.integer)):
            raise EngineTypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    if builtins.any(isinstance(x, (list, tuple)) and not isinstance(x, Size) for x in args):
        raise invalid("new", args, given)
    return made(np.zeros(size_of("new", args or (0,)), d))


class TensorType(type):
    """torch.FloatTensor and its like: a constructor, and what isinstance asks of a tensor's dtype."""

    dtype: dtypes.dtype
    is_cuda = is_sparse = False

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return legacy(cls.dtype.np, args, kwargs, exact=True)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and x._a.dtype == cls.dtype.np


def _tensor_type(d: dtypes.dtype) -> TensorType:
    doc = f"A tensor of dtype {d}: of these numbers, or of this shape and all zeros."
    kind = TensorType(d.tensor_name + "Tensor", (), {"dtype": d, "__doc__": doc, "__module__": "torch"})
    return costs("making.constructed")(kind)


public("torch.DoubleTensor")(_tensor_type(dtypes.float64))
public("torch.FloatTensor")(_tensor_type(dtypes.float32))
public("torch.HalfTensor")(_tensor_type(dtypes.float16))
public("torch.LongTensor")(_tensor_type(dtypes.int64))
public("torch.IntTensor")(_tensor_type(dtypes.int32))
public("torch.ShortTensor")(_tensor_type(dtypes.int16))
public("torch.CharTensor")(_tensor_type(dtypes.int8))
public("torch.ByteTensor")(_tensor_type(dtypes.uint8))
public("torch.BoolTensor")(_tensor_type(dtypes.bool_))


@public("Tensor")
@costs("making.constructed_like")
@composite
def new(input: Value, *args: Any, **kwargs: Any) -> Value:
    """A tensor of this one's dtype: of these numbers, or of this shape and all zeros."""
    return legacy(input._a.dtype, args, kwargs)
