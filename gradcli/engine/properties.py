"""Properties of tensors: shape, layout, element type, their numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import (
    EngineAttributeError,
    EngineError,
    EngineIndexError,
    EngineNotImplementedError,
    EngineTypeError,
    EngineValueError,
)  # fmt: skip
from . import dtypes
from .dtypes import BF16, DTYPES, Array
from .guard.addresses import address_of_memory, hash_of
from .memory.places import CPU, META, Device, Layout, sparse_coo, strided
from .modes import beyond_the_first, mode, recording, refuse_of_samples
from .numeric.meta import NO_DATA, Meta


class Size(tuple[int, ...]):
    """A shape."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        items = tuple(sizes)
        for i, n in enumerate(items):
            if not hasattr(n, "__index__"):
                raise EngineTypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
        return tuple.__new__(cls, map(operator.index, items))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, index: Any) -> Any:
        got = super().__getitem__(index)
        return _size(got) if isinstance(index, slice) else got

    def __add__(self, other: Any) -> Any:
        return Size(tuple(self) + other) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return _size(tuple(self) * times)

    __rmul__ = __mul__


# As Python's own messages name a class that is written in C.
Size.__name__ = "torch.Size"


def _size(sizes: Any) -> Size:
    """A Size of what is known to be ints."""
    return tuple.__new__(Size, sizes)


def no_such_axis(dim: int, ndim: int) -> EngineIndexError:
    """PyTorch's words for an axis that a tensor does not have."""
    return EngineIndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")


def _no_extent(name: str, ndim: int, dim: Any) -> Exception:
    """PyTorch's error where the extent or the step of an axis is asked for that is not there."""
    if not hasattr(dim, "__index__"):
        return EngineTypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
    if not ndim:
        return EngineIndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return no_such_axis(dim, ndim)


def sealed(kind: type[Any]) -> type[Any]:
    """A class of tensors whose properties that cannot be assigned to say so as PyTorch does."""
    for name, fact in list(vars(kind).items()):
        if isinstance(fact, property) and fact.fset is None:
            setattr(kind, name, fact.setter(_unwritable(name)))
    return kind


def _unwritable(name: str) -> Callable[[Any, Any], None]:
    def refuse(self: Any, value: Any) -> None:
        raise EngineAttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return refuse


@sealed
class Facts:
    """The part of Tensor that only reads its array."""

    _a: Array
    _node: Any
    _base: Any
    _inference: bool

    def _memory(self) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    @property
    def shape(self) -> Size:
        """The extent of each axis."""
        return _size(self._a.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the extent of one axis."""
        if dim is None:
            return _size(self._a.shape)
        try:
            return self._a.shape[dim]
        except (IndexError, TypeError):
            raise _no_extent("size", self._a.ndim, dim) from None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        n: int = self._a.ndim
        return n

    def dim(self) -> int:
        """The number of axes."""
        return self.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return int(self._a.size)

    nelement = numel

    @property
    def nbytes(self) -> int:
        """The bytes that the elements take."""
        return self.numel() * self.element_size()

    def element_size(self) -> int:
        """The bytes that one element takes."""
        return int(self._a.dtype.itemsize)

    itemsize = property(element_size)

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return DTYPES[self._a.dtype]

    @property
    def device(self) -> Device:
        """Where the numbers are: on the CPU; `meta` where there are none."""
        return META if type(self._a) is Meta else CPU

    @property
    def is_meta(self) -> bool:
        """True where there are no numbers."""
        return type(self._a) is Meta

    @property
    def layout(self) -> Layout:
        """The kind of memory: of all numbers, or of those of a few entries."""
        return sparse_coo if hasattr(self._a, "places") else strided

    @property
    def is_sparse(self) -> bool:
        """True of a gradient that has a few entries alone."""
        return hasattr(self._a, "places")

    @property
    def volatile(self) -> bool:
        """Return False: this has had no meaning for long."""
        return False

    is_cpu = True
    # What there is no memory of.
    is_cuda = is_quantized = is_nested = is_mkldnn = is_mps = is_xla = is_sparse_csr = is_ipu = False
    is_vulkan = is_xpu = is_mtia = is_maia = False

    def stride(self, dim: int | None = None) -> Any:
        """The step between neighbours along each axis, in elements."""
        a = self._a
        strides = tuple(s // a.itemsize for s in (a.strides if a.size or any(a.strides) else _dense_strides(a)))
        if dim is None:
            return strides
        try:
            return strides[dim]
        except (IndexError, TypeError):
            raise _no_extent("stride", len(strides), dim) from None

    def storage_offset(self) -> int:
        """Where in its memory this tensor starts, in elements; of a sample of a vmap, where the batch does."""
        offset = self._offset()
        return offset - (beyond_the_first(self, offset) or 0) if mode.samples else offset

    def dim_order(self, *, ambiguity_check: Any = False) -> tuple[int, ...]:
        """The axes from the one with the largest steps through memory to that with the smallest.

        ``ambiguity_check``: refuse what has several such orders, or fits several of these memory formats.
        """
        from .memory.dim_order import dim_order

        return dim_order(self, ambiguity_check)

    def _offset(self) -> int:
        from .ops.shape.strides import storage_offset_of

        return storage_offset_of(self._memory())

    def data_ptr(self) -> int:
        """The address of the first element."""
        refuse_of_samples("Cannot access data pointer of Tensor that doesn't have storage", self)
        a = self._memory()
        return address_of_memory(a, address) if a.size else 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Tell whether the elements lie in memory in row-major order, or as another format has them."""
        if memory_format is None:
            return bool(self._a.flags.c_contiguous)
        from .ops.make.converting import lies_as

        return lies_as(self._a, memory_format)

    def is_floating_point(self) -> bool:
        """Tell whether the element type is a floating one; a reading stands for a real number."""
        kind = self._a.dtype.kind
        return bool(kind == "f" or (kind == "c" and mode.readings))

    def is_complex(self) -> bool:
        """Tell whether the element type is a complex one; a reading stands for a real number."""
        return bool(self._a.dtype.kind == "c" and not mode.readings)

    def is_inference(self) -> bool:
        """Tell whether this tensor was made in inference mode."""
        return self._inference

    def item(self) -> Any:
        """The one element, as a Python number."""
        a = self._a
        if mode.tape is not None:
            mode.tape.escaped(self, "item")
        if a.size != 1:
            raise EngineError(f"a Tensor with {a.size} elements cannot be converted to Scalar")
        return a.item()

    def tolist(self) -> Any:
        """The elements as nested lists."""
        if mode.tape is not None:
            mode.tape.escaped(self, "tolist")
        return self._a.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The elements as a NumPy array that shares the memory."""
        if self._node is not None and recording() and not force:
            raise EngineError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        if type(self._a) is Meta:
            raise EngineTypeError(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
                "first."
            )
        if self.is_sparse:
            raise EngineTypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")
        if self._a.dtype is BF16:
            raise EngineTypeError("Got unsupported ScalarType BFloat16")
        if mode.tape is not None:
            mode.tape.escaped(self, "numpy")
            if mode.tape.function is not None:
                # NumPy writes to memory without a word, and a Function computes with what it may write to.
                mode.tape.before_write(self._memory())
        # An array of its own: whoever gives it another shape leaves the tensor as it is.
        return self._memory().view()

    def __array__(self, dtype: Any = None) -> np.ndarray[Any, Any]:
        a = self.numpy()
        return a if dtype is None else a.astype(dtype, copy=False)

    def __array_wrap__(self, array: np.ndarray[Any, Any]) -> Any:
        """The tensor of what NumPy computed of this one; truth values are small numbers there."""
        from .ops.make.from_data import from_numpy

        return from_numpy(array.astype("uint8") if array.dtype == bool else array)

    def __dlpack__(
        self, *, stream: Any = -1, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        from .memory.dlpack import capsule_of

        return capsule_of(self, stream, dl_device, copy)

    def __dlpack_device__(self) -> tuple[Any, int]:
        from .memory.dlpack import DLDeviceType

        return DLDeviceType.kDLCPU, 0

    def cpu(self: Any, memory_format: Any = None) -> Any:
        """The tensor itself: numbers are on the CPU."""
        if type(self._a) is Meta:
            raise EngineNotImplementedError(NO_DATA)
        return self if memory_format is None else self.to(memory_format=memory_format)

    def __len__(self) -> int:
        if self._a.ndim == 0:
            raise EngineTypeError("len() of a 0-d tensor")
        return int(self._a.shape[0])

    def __bool__(self) -> bool:
        a = self._a
        if a.size == 1:
            if mode.tape is not None:
                mode.tape.escaped(self, "bool")
            return bool(a.item())
        if mode.tape is not None:
            mode.tape.escaped(self, "bool")
        if a.size == 0:
            raise EngineError("Boolean value of Tensor with no values is ambiguous")
        raise EngineError("Boolean value of Tensor with more than one value is ambiguous")

    def _number(self) -> Any:
        """The one element, for Python's own conversions."""
        if self._a.size != 1:
            raise EngineValueError("only one element tensors can be converted to Python scalars")
        if mode.tape is not None:
            mode.tape.escaped(self, "number")
        return self._a.item()

    def _warn_of_conversion(self) -> None:
        if self._node is not None and recording():
            from .call_errors import warn_of_conversion

            warn_of_conversion()

    def _real_number(self, kind: str) -> Any:
        """The one element, which may be complex if it has no imaginary part."""
        number = self._number()
        if isinstance(number, complex):
            if number.imag:
                raise EngineError(f"value cannot be converted to type {kind} without overflow")
            return number.real
        return number

    def __float__(self) -> float:
        self._warn_of_conversion()
        return float(self._real_number("double"))

    def __int__(self) -> int:
        return int(self._real_number("int64_t"))

    def __index__(self) -> int:
        if self._a.size != 1 or self._a.dtype.kind not in "biu":
            raise EngineTypeError("only integer tensors of a single element can be converted to an index")
        if mode.tape is not None:
            mode.tape.escaped(self, "number")
        return int(self._a.item())

    def __complex__(self) -> complex:
        self._warn_of_conversion()
        return complex(self._number())

    def __format__(self, spec: str) -> str:
        plain = type(self).__module__ == "gradcli.engine.tensor"
        if plain and self._a.ndim == 0:
            return format(self.item(), spec)
        if spec:
            name = "Tensor" if plain else type(self).__name__
            raise EngineTypeError(f"unsupported format string passed to {name}.__format__")
        return repr(self)

    __hash__ = hash_of

    def __iter__(self) -> Iterator[Any]:
        if self._a.ndim == 0:
            raise EngineTypeError("iteration over a 0-d tensor")
        from .ops.shape.splitting import unbind

        return iter(unbind(self, 0))

    def __contains__(self, element: Any) -> bool:
        if not isinstance(element, (Facts, bool, int, float, complex)):
            raise EngineError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        if mode.tape is not None:
            mode.tape.read("bool", self, *([element] if isinstance(element, Facts) else []))
        found = self._a == getattr(element, "_a", element)
        return bool(np.any(found))


def _dense_strides(a: Array) -> tuple[int, ...]:
    """The strides of an empty tensor, which NumPy does not keep."""
    strides = []
    step = a.itemsize
    for n in reversed(a.shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def address(a: Array) -> int:
    """Where an array's first element lies in memory."""
    return int(np.asarray(a).__array_interface__["data"][0])
