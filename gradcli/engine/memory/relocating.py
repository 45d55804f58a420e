"""Methods by which tensors lie in other memory: with other strides in it, with other elements, or in more of it.

Memory is what NumPy allocated: it does not grow while several arrays lie in it.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import EngineError, EngineNotImplementedError, EngineTypeError, Unsupported
from ..call_errors import fail
from ..dtypes import BF16, DTYPES, as_numpy, dtype as dtype_, zeros_of
from ..function import Function
from ..graph import LEAF
from ..modes import mode, refuse_of_samples
from ..numeric.bfloat16 import Brain
from ..ops.make.converting import channels_last_axes, order_of
from ..ops.make.filled import unwritten
from ..ops.memory_order import is_channels_last
from ..ops.shape.strides import storage as whole
from ..properties import address
from ..tensor import Tensor, View, result
from ..writes.inplace import LEAF_MESSAGE, refuse_inference
from .places import channels_last, preserve_format
from .storage import TypedStorage, UntypedStorage, WideStorage, elements_of, of_bfloat16, storage_of


def _root(t: Tensor) -> Any:
    """The whole memory that a tensor is a part of."""
    a = t._memory()
    if type(a) is Brain:
        raise of_bfloat16()
    return whole(a)


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that the tensor is a part of, as bytes."""
    refuse_of_samples("Cannot access storage of BatchedTensorImpl", self, error=EngineNotImplementedError)
    if type(self._memory()) is Brain:
        wide = WideStorage()
        wide._memory = whole(self._memory())
        return wide
    return storage_of(_root(self))


def storage(self: Tensor) -> TypedStorage:
    """The memory that the tensor is a part of, as elements."""
    refuse_of_samples("Cannot access storage of BatchedTensorImpl", self, error=EngineNotImplementedError)
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()",
        UserWarning,
        stacklevel=2,
    )
    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.dtype)


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Tell whether another tensor is the same part of the same memory."""
    a, b = self._memory(), tensor._memory()
    return a.shape == b.shape and self.stride() == tensor.stride() and address(a) == address(b)


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Lie in other memory: all of a tensor's, or a part of a storage, by strides."""
    refuse_inference(self)
    if mode.grad and self._node is not None and self._node.kind == LEAF:
        raise EngineError(LEAF_MESSAGE)
    if mode.grad and any(t.requires_grad for t in (self, source) if isinstance(t, Tensor)):
        raise Unsupported("set_() of or to a tensor that is part of a graph", help="set it to what detach() gives")
    if source is None:
        a = zeros_of((0,), self._a.dtype)
    elif isinstance(source, Tensor):
        _refuse_other_type(self, source.dtype)
        a = source._memory()
        if size is not None:
            a = _part(whole(a), a.dtype, storage_offset, size, stride)
    elif isinstance(source, (UntypedStorage, TypedStorage)):
        if isinstance(source, TypedStorage):
            _refuse_other_type(self, source.dtype)
        d = self._a.dtype
        if d is BF16 or isinstance(source.untyped(), WideStorage):
            raise of_bfloat16()
        root = source.untyped()._memory
        size = (root.nbytes // d.itemsize,) if size is None else size
        a = _part(root, d, storage_offset, size, stride)
    else:
        raise EngineTypeError(
            f"set_() received an invalid combination of arguments - got ({type(source).__name__}), but expected one "
            "of:\n * ()\n * (torch.Storage source)\n * (torch.Storage source, int storage_offset, tuple of ints size, "
            "tuple of ints stride = None)\n * (Tensor source)\n"
        )
    _now(self, a)
    return self


def _refuse_other_type(self: Tensor, d: dtype_) -> None:
    if d != self.dtype:
        fail(f"Could not set tensor of type {_word(d)} to a tensor of type {_word(self.dtype)}")


def _word(d: dtype_) -> str:
    """The name of a type in C++."""
    others = {"Long": "long int", "Char": "signed char", "Byte": "unsigned char"}
    return others.get(d.tensor_name, d.tensor_name.lower())


def _part(root: Any, d: Any, offset: int, size: Any, stride: Any) -> Any:
    """A part of memory, by strides in elements."""
    size = tuple(size)
    stride = _row_major(size) if stride is None else tuple(stride)
    if len(size) != len(stride):
        fail(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if any(s < 0 for s in stride):
        fail(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if offset < 0:
        fail(f"Tensor: invalid storage offset {offset}")
    reach = 0 if 0 in size else offset + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if reach * d.itemsize > root.nbytes:
        fail(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{d.itemsize} requiring a storage size of {reach * d.itemsize} are out of bounds for storage of size "
            f"{root.nbytes}"
        )
    return np.ndarray(size, d, root, offset * d.itemsize if reach else 0, tuple(s * d.itemsize for s in stride))


def _row_major(size: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for n in reversed(size):
        strides.insert(0, step)
        step *= max(n, 1)
    return tuple(strides)


def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Have another shape in the same memory, or in more of it."""
    if self.requires_grad and not mode.inference:
        fail("cannot resize variables that require grad")
    refuse_inference(self)
    if not size:
        raise EngineTypeError('resize_() missing 1 required positional arguments: "size"')
    wanted = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    for n in wanted:
        if not hasattr(n, "__index__"):
            raise EngineTypeError(
                f"resize_(): argument 'size' (position 1) must be tuple of ints, not {type(n).__name__}"
            )
        if n < 0:
            fail("numel: integer multiplication overflow")
    if math.prod(wanted) >= 2**63:
        fail("numel: integer multiplication overflow")
    if tuple(self._a.shape) == tuple(wanted) and memory_format is None:
        return self
    strides = None if memory_format is None else _strides_in(wanted, order_of("resize_", memory_format))
    a = self._memory()
    root, offset = _root(self), self._offset()
    needed = (offset + int(np.prod(wanted, dtype=np.int64))) * a.itemsize
    if needed > root.nbytes:
        root = _grown(self, root, needed)
    _now(self, _part(root, a.dtype, offset, wanted, strides))
    return self


def _strides_in(size: tuple[int, ...], memory_format: str) -> tuple[int, ...]:
    """The strides of a tensor of a memory format."""
    if memory_format == "preserve_format":
        fail("Unsupported memory formatPreserve")
    if memory_format == "contiguous_format":
        return _row_major(size)
    axes = channels_last_axes(len(size), memory_format)
    by_axis = dict(zip(axes, _row_major(tuple([size[i] for i in axes])), strict=True))
    return tuple([by_axis[i] for i in range(len(size))])


def _grown(self: Tensor, root: Any, needed: int) -> Any:
    """More memory, with what was in it before."""
    # Who knows of the memory: this call, its caller (twice, where it is all of an array), and the tensor.
    alone = 5 if self._a is root else 4
    if root.nbytes and (isinstance(self, View) or sys.getrefcount(root) > alone):
        raise Unsupported(
            "resize_() to more memory than there is, while others lie in it: gradcli cannot move them along",
            help="clone() the tensor first",
        )
    grown = np.zeros(needed, np.uint8)
    grown[: root.nbytes] = elements_of(root, np.dtype(np.uint8))
    unwritten(grown[root.nbytes :].view(self._a.dtype))
    return grown


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Have another tensor's shape in the same memory, or in more of it."""
    if memory_format is preserve_format:
        memory_format = channels_last if is_channels_last(the_template._a) else None
    return resize_(self, tuple(the_template.shape), memory_format=memory_format)


class Resize(Function):
    """The same numbers in another shape, under an old name."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: Any) -> Any:
        wanted = math.prod(sizes)
        if wanted != tensor.numel():
            fail(
                f"requested resize to {'x'.join(map(str, sizes))} ({wanted} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.shape))} ({tensor.numel()} elements). autograd's resize can "
                "only change the shape of a given tensor, while preserving the number of elements. "
            )
        ctx.before = tensor.shape
        return tensor.contiguous().view(sizes)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g.contiguous().view(ctx.before), None


def resize(self: Tensor, *sizes: int) -> Any:
    """The same numbers in another shape."""
    warnings.warn("non-inplace resize is deprecated", stacklevel=2)
    return Resize.apply(self, sizes)


def resize_as(self: Tensor, tensor: Tensor) -> Any:
    """The same numbers in the shape of another tensor."""
    warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
    return Resize.apply(self, tensor.size())


def _now(self: Tensor, a: Any) -> None:
    """Let the tensor's numbers be these."""
    if mode.tape is not None:
        mode.tape.before_write(self._memory(), None)
    self._set_array(a)
    self._counter().n += 1


def viewed_as(self: Tensor, d: dtype_) -> Tensor:
    """The same memory as elements of another type, outside of the graph."""
    a, new = self._memory(), as_numpy(d)
    if type(a) is Brain or new is BF16:
        raise Unsupported("view() to or from bfloat16: gradcli keeps its numbers in single precision")
    if self.is_conj():
        fail("torch.Tensor.view is not supported for conjugate view tensors when converting to a different dtype.")
    size, step = list(a.shape), list(self.stride())
    if new.itemsize != a.itemsize:
        _refuse_layout(self, new, DTYPES[a.dtype].tensor_name, d.tensor_name)
        size[-1] = size[-1] * a.itemsize // new.itemsize
        step = [s * a.itemsize // new.itemsize for s in step[:-1]] + [1]
    alias = result(np.ndarray(size, new, _root(self), address(a) - address(_root(self)) if a.size else 0, [
        s * new.itemsize for s in step
    ]))  # fmt: skip
    alias._vc = self._counter()
    alias._inference = self._inference or mode.inference
    if mode.tape is not None:
        mode.tape.cut(alias, self, "detach")
    return alias


def _refuse_layout(self: Tensor, new: Any, old_name: str, new_name: str) -> None:
    """Refuse elements of another size where they would not lie as the old ones do."""
    told = f"view {old_name} as {new_name} (different element sizes)"
    words = f"to {told}, but got"
    if not self.ndim:
        fail(f"self.dim() cannot be 0 to {told}")
    if self.stride(-1) != 1:
        fail(f"self.stride(-1) must be 1 {words} {self.stride(-1)}")
    times, rest = divmod(new.itemsize, self.element_size())
    if not times or rest:
        return
    if self.shape[-1] % times:
        fail(f"self.size(-1) must be divisible by {times} {words} {self.shape[-1]}")
    if self._offset() % times:
        fail(f"self.storage_offset() must be divisible by {times} {words} {self._offset()}")
    for i, s in enumerate(self.stride()[:-1]):
        if s % times:
            fail(f"self.stride({i}) must be divisible by {times} {words} {s}")


METHODS: dict[str, Callable[..., Any]] = {
    "untyped_storage": untyped_storage, "storage": storage, "is_set_to": is_set_to, "set_": set_,
    "resize_": resize_, "resize_as_": resize_as_, "resize": resize, "resize_as": resize_as,
}  # fmt: skip
