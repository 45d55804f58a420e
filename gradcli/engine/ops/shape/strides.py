"""Memory read by strides: any view, and sliding windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail, only_ints
from ...costs import costs
from ...dtypes import zeros_of
from ...modes import beyond_the_first, mode
from ...numeric.bfloat16 import Brain, memory_of
from ...properties import address
from ...registry import composite, dressed, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..common import axis
from .padding import zeros

ndarray = np.ndarray


def strides_for(a: Array, size: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides by which ``a`` has another shape without a copy; None when there are none."""
    strides = [0] * len(size)
    at = len(size) - 1
    if a.size == 0:
        if a.shape == size:
            return a.strides  # type: ignore[no-any-return]
        step = a.itemsize
        for i in range(at, -1, -1):
            strides[i] = step
            step *= max(size[i], 1)
        return tuple(strides)
    # Axes of ``a`` that lie densely one in the other form a chunk; each must be filled by axes of ``size``.
    chunk = 1
    base = a.strides[-1] if a.ndim else a.itemsize
    for d in range(a.ndim - 1, -1, -1):
        chunk *= a.shape[d]
        if d == 0 or (a.shape[d - 1] != 1 and a.strides[d - 1] != chunk * base):
            taken = 1
            while at >= 0 and (taken < chunk or size[at] == 1):
                strides[at] = taken * base
                taken *= size[at]
                at -= 1
            if taken != chunk:
                return None
            if d:
                base = a.strides[d - 1]
                chunk = 1
    while at >= 0:
        strides[at] = a.itemsize
        at -= 1
    return tuple(strides)


def read_as(a: Array, dtype: Any, size: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """The memory of ``a`` from its first element on as elements of another type, by strides in bytes."""
    root = storage(a)
    if root.flags.c_contiguous:
        return ndarray(size, dtype, root, address(a) - address(root) if a.size else 0, strides)
    first = np.lib.stride_tricks.as_strided(a, (a.size and 1,), (a.itemsize,)).view(dtype)
    return np.lib.stride_tricks.as_strided(first, size, strides)


def strided(a: Array, size: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """The memory of ``a`` from its first element on, by strides in bytes."""
    if a.flags.c_contiguous:
        return ndarray(size, a.dtype, a, 0, strides)
    root = storage(a)
    if root is a:
        return np.lib.stride_tricks.as_strided(a, size, strides)
    return ndarray(size, a.dtype, root, address(a) - address(root), strides)


def storage(a: Array) -> Array:
    """The memory that ``a`` is a part of, as an array that starts where it starts."""
    root = a.base
    if type(root) is Brain or type(a) is Brain:
        root = memory_of(a)
    elif type(root) is not ndarray:
        root = a
    if root.flags.c_contiguous:
        return root
    flat = root.transpose(sorted(range(root.ndim), key=lambda i: -root.strides[i]))
    return flat if flat.flags.c_contiguous else a


def storage_offset_of(a: Array) -> int:
    """The number of elements of its storage that come before ``a``."""
    root = storage(a)
    if root is a or a.size == 0:
        return 0
    return int(address(a) - address(root)) // int(a.itemsize)


def of_a_batch(call: Any) -> Any:
    """A strided read that vmap makes of the whole batch: the offset is that of the first sample, inside its part."""

    def read(input: Any, *args: Any, **kwargs: Any) -> Any:
        if mode.samples and isinstance(input, Tensor):
            args, kwargs = _shifted(input, *args, **kwargs), {}
        return call(input, *args, **kwargs)

    return dressed(read, call.op)


def _shifted(t: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> tuple[Any, Any, int | None]:
    """The arguments to read one sample where these read the first."""
    a = t._memory()
    own = storage_offset_of(a)
    beyond = beyond_the_first(t, own)
    if beyond is None:
        return size, stride, storage_offset
    if len(size) != len(stride):
        fail(
            "Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got size "
            f"{list(size)} and stride {list(stride)}"
        )
    first = own - beyond
    at = first if storage_offset is None else storage_offset
    last, end = _span(size, stride, at), _span(a.shape, t.stride(), first)
    if a.size and last > at and (at < first or last > end):
        fail(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {at}) can access memory outside of `tensor`. "
            f"`result` can access some memory in range [{at}, {last}], but `tensor` can only access some memory in "
            f"range [{first}, {end}]. This is not supported inside of vmap, please try to rewrite the `as_strided` "
            "call as a sequence of PyTorch view operations"
        )
    return size, stride, at + beyond


@public("torch Tensor")
@costs("making.as_strided")
@of_a_batch
@primitive(
    view=True,
    reads_storage=True,
    self=lambda g, self_geometry, size, stride, storage_offset: as_strided_backward(
        g, self_geometry, size, stride, storage_offset
    ),
    pushes=lambda self_t, self, size, stride, storage_offset: as_strided(
        self_t, size, stride, None if storage_offset is None else storage_offset + self_t._offset() - self._offset()
    ),
)
def as_strided(self: Array, size: Any, stride: Any, storage_offset: int | None = None) -> Array:
    """The memory of a tensor, read by strides."""
    if len(size) != len(stride):
        fail("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        fail(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"[{', '.join(map(str, stride))}]"
        )
    root = storage(self)
    step = self.itemsize
    at = storage_offset_of(self) if storage_offset is None else storage_offset
    if at < 0:
        fail(f"Tensor: invalid storage offset {at}")
    if any(n < 0 for n in size):
        fail(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    reach = 0 if 0 in size else at + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if reach * step > root.nbytes:
        fail(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {at}, and itemsize {step} "
            f"requiring a storage size of {reach * step} are out of bounds for storage of size {root.nbytes}"
        )
    return ndarray(tuple(size), self.dtype, root, at * step if reach else 0, tuple([s * step for s in stride]))


def as_strided_backward(g: Value, geometry: Any, size: Any, stride: Any, storage_offset: int | None) -> Value:
    """The gradient of a strided read: shares of one place of the memory summed, then read as the tensor was."""
    sizes, strides, offset = geometry
    if 0 in size or 0 in sizes:
        return zeros((sizes, (g._a if isinstance(g, Tensor) else g).dtype), g)
    at = offset if storage_offset is None else storage_offset
    low = min(at, offset)
    for i in range(len(size) - 1, -1, -1):
        if size[i] == 1:
            g = ops.views.squeeze_dim(g, i)
        elif stride[i] == 0:
            g = ops.sums.sum_dim(g, (i,), False)
    kept = [(n, s) for n, s in zip(size, stride, strict=True) if n != 1 and s]
    size, stride = [n for n, _ in kept], [s for _, s in kept]
    span = max(_span(sizes, strides, offset), _span(size, stride, at)) - low
    # A place that the tensor itself shows several times shares its gradient among them.
    uses = _uses(span, sizes, strides, offset - low) if overlaps(sizes, strides) else None
    if not isinstance(g, Tensor):
        flat = zeros_of(span, g.dtype)
        np.add.at(flat, _places(size, stride, at - low), g)
        if uses is not None:
            flat = flat / uses.astype(g.real.dtype)
        return flat[_places(sizes, strides, offset - low)]
    memory: Value = ops.filled.new_zeros(g, (span,))
    if overlaps(size, stride):
        where = np.arange(span)[_places(size, stride, at - low)]
        shares = ops.views.reshape(g, (-1,))
        memory = ops.matmul.written(ops.index_select.index_add(memory, 0, result(where.reshape(-1)), shares))
    else:
        as_strided(memory, size, stride, at - low).copy_(g)
    if uses is not None:
        memory = memory / result(uses.astype(g._a.dtype))
    return as_strided(memory, sizes, strides, offset - low)


def overlaps(size: Any, stride: Any) -> bool:
    """Tell whether a strided read may visit a place twice."""
    reach = 0
    for s, n in sorted(zip(stride, size, strict=True)):
        if n > 1:
            if s <= reach:
                return True
            reach += (n - 1) * s
    return False


def _span(size: Any, stride: Any, at: int) -> int:
    return at if 0 in size else at + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))


def _places(size: Any, stride: Any, at: int) -> Array:
    """The places in memory that a strided read visits."""
    places = np.full((), at)
    for n, s in zip(size, stride, strict=True):
        places = places[..., None] + np.arange(n) * s
    return places


def _uses(span: int, size: Any, stride: Any, at: int) -> Array:
    """Count the visits of a strided read to each place, at least one."""
    return np.maximum(np.bincount(_places(size, stride, at).reshape(-1), minlength=span), 1)


# -- sliding windows ---------------------------------------------------------------------------


@public("Tensor")
@costs("arranging.windows")
@primitive(
    view=True,
    self=lambda g, self_sym_sizes, dimension, size, step: unfold_backward(g, self_sym_sizes, dimension, size, step),
    form="along",
)
def unfold(self: Array, dimension: int, size: int, step: int) -> Array:
    """Windows that slide along an axis, each as a new last axis."""
    only_ints("unfold", dimension=dimension, size=size, step=step, places=(2, 3, 4))
    n = self.ndim
    i = axis(dimension, n)
    have = self.shape[i] if n else 1
    if size < 0:
        fail(f"size is {size} but must be >= 0")
    if size > have:
        fail(f"maximum size for tensor at dimension {i} is {have} but size is {size}")
    if step <= 0:
        fail(f"step is {step} but must be > 0")
    if n == 0:
        return strided(self, (size,), (self.itemsize,))
    count = (have - size) // step + 1
    move = self.strides[i]
    return strided(
        self,
        (*self.shape[:i], count, *self.shape[i + 1 :], size),
        (*self.strides[:i], move * step, *self.strides[i + 1 :], move),
    )


@primitive(
    backward=True,
    node="UnfoldBackwardBackward0",
    grad_in=lambda g, dim, size, step: unfold(g, dim, size, step),
    form="sized",
)
def unfold_backward(grad_in: Array, input_sizes: Any, dim: int, size: int, step: int) -> Array:
    """The gradient of unfold: what the windows share, summed."""
    out = zeros_of(input_sizes, grad_in.dtype)
    if not input_sizes:
        return grad_in.sum() if size else out[()]
    i = axis(dim, len(input_sizes))
    before = (slice(None),) * i
    count = grad_in.shape[i]
    if size <= count:
        for k in reversed(range(size)):
            # Place k of all windows at once: no two are the same element. The last place is that of the first window.
            out[(*before, slice(k, k + (count - 1) * step + 1, step))] += grad_in[..., k]
    else:
        for k in range(count):
            # Window k as a whole.
            window = np.moveaxis(grad_in[(*before, k)], -1, i)
            out[(*before, slice(k * step, k * step + size))] += window
    return out


@public("Tensor")
@composite
def fill_diagonal_(input: Any, fill_value: Any, wrap: bool = False) -> Value:
    """Write a number along the diagonal; ``wrap``: of a tall matrix, along one after another."""
    n = input.ndim
    if n < 2:
        fail("dimensions must larger than 1")
    sizes, strides = input.shape, input.stride()
    if n > 2 and len(set(sizes)) > 1:
        fail("all dimensions of input must be of equal length")
    rows, columns = sizes[:2]
    length, step, offset = min(rows, columns), sum(strides), input._offset()
    as_strided(input, (length,), (step,), offset).fill_(fill_value)
    if wrap and n == 2 and rows > columns + 1:
        rest = -(-rows * columns // (columns + 1)) - length
        as_strided(input, (rest,), (step,), offset + strides[0] * (columns + 1)).fill_(fill_value)
    return input
