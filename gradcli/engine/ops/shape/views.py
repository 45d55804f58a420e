"""Views: the same memory in another shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineIndexError
from ... import ops
from ...call_errors import fail, no_overload
from ...dtypes import zeros_of
from ...registry import primitive, public
from ...tensor import Array, Tensor, Value
from ..common import axes, axis

ndarray = np.ndarray


# -- another shape of the same elements ------------------------------------------------------


def infer_size(given: Any, numel: int) -> tuple[int, ...]:
    """A size with its -1 replaced by what is left of ``numel``."""
    size: tuple[int, ...] = tuple(given)
    wild = -1
    known = 1
    for i, n in enumerate(size):
        if n == -1:
            if wild >= 0:
                fail("only one dimension can be inferred")
            wild = i
        elif n < 0:
            fail(f"invalid shape dimension {n} at index {i} of shape {list(size)}")
        else:
            known *= n
    if wild < 0:
        if known != numel:
            fail(f"shape '{list(size)}' is invalid for input of size {numel}")
        return size
    if known == 0 and numel == 0:
        fail(
            f"cannot reshape tensor of 0 elements into shape {list(size)} because the unspecified dimension size "
            "-1 can be any value and is ambiguous"
        )
    if known == 0 or numel % known:
        fail(f"shape '{list(size)}' is invalid for input of size {numel}")
    return (*size[:wild], numel // known, *size[wild + 1 :])


def regular(a: Array) -> bool:
    """Tell whether an array is row-major to the last stride; in a slice, an axis of length 1 may have any stride."""
    return bool(a.flags.c_contiguous and (a.base is None or 1 not in a.shape))


@primitive(view=True, self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes), form="shaped")
def view(self: Array, size: Any) -> Array:
    """The same memory in another shape."""
    if self.size != math.prod(size) or -1 in size:
        size = infer_size(size, self.size)
    if self.flags.c_contiguous:
        if 1 in size and self.shape == tuple(size):
            # NumPy would leave the strides of axes of length 1 as they are.
            return ops.strides.strided(self, self.shape, ops.strides.strides_for(self, self.shape) or self.strides)
        return self.reshape(size)
    steps = ops.strides.strides_for(self, size)
    if steps is None:
        fail(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        )
    return ops.strides.strided(self, size, steps)


@primitive(self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes), rounding="exact", form="shaped")
def unsafe_view(self: Array, size: Any) -> Array:
    """A fresh array in another shape, no view of anything."""
    return self.reshape(infer_size(size, self.size))


def reshape(input: Value, size: Any) -> Value:
    """The same elements in another shape: a view if there is one, else a copy."""
    if not isinstance(input, Tensor):
        return input.reshape(size)
    a = input._a
    if a.flags.c_contiguous:
        return view(input, size)
    size = infer_size(size, a.size)
    steps = ops.strides.strides_for(a, size)
    if steps is not None:
        return reshape_alias(input, size, steps)
    return unsafe_view(ops.converting.copied(input, "contiguous_format"), size)


@primitive(view=True, self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes), form="shaped")
def reshape_alias(self: Array, size: Any, stride: Any) -> Array:
    """The same memory in another shape, by strides in bytes."""
    found = self.reshape(size)
    return found if found.strides == stride else ops.strides.strided(self, size, stride)


@primitive(view=True, self=lambda g: g, rounding="exact", form="same")
def alias(self: Array) -> Array:
    """The same tensor again."""
    return self[...]


# -- repetition without a copy -----------------------------------------------------------------


@primitive(view=True, self=lambda g, self_sym_sizes: ops.sums.sum_to(g, self_sym_sizes), form="expanded")
def expand(self: Array, size: Any) -> Array:
    """The same elements, repeated along new or length-1 axes without a copy."""
    if self.ndim == 0 and -1 not in size:
        if type(self) is ndarray:
            return ndarray(size, self.dtype, self, 0, (0,) * len(size))
        e = zeros_of(size, self.dtype)
        e.fill(self)
        return e
    shape = self.shape
    if size == shape:
        return self[...]
    lead = len(size) - len(shape)
    if lead < 0:
        _expand_rank(self, size)
    out = list(size)
    steps = [0] * lead + list(self.strides)
    for i in range(len(out) - 1, -1, -1):
        n = out[i]
        if i < lead:
            if n < 0:
                fail(f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}")
            if n == 1:
                steps[i] = out[i + 1] * steps[i + 1] if i + 1 < len(out) else self.itemsize
            continue
        have = shape[i - lead]
        if n == have or n == -1:
            out[i] = have
        elif have == 1 and n >= 0:
            steps[i] = 0
        else:
            fail(
                f"The expanded size of the tensor ({n}) must match the existing size ({have}) at non-singleton "
                f"dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
            )
    return ops.strides.strided(self, tuple(out), tuple(steps))


def _expand_rank(a: Array, size: Any) -> None:
    from ...dtypes import DTYPES

    fail(
        f"expand({DTYPES[a.dtype].type_name}{{{list(a.shape)}}}, size={list(size)}): the number of "
        f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor ({a.ndim})"
    )


# -- another order of the axes -----------------------------------------------------------------


@public("torch Tensor")
@primitive(view=True, self=lambda g: t(g), form="turned")
def t(self: Array) -> Array:
    """The transpose of a matrix."""
    if self.ndim > 2:
        fail(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@public("torch Tensor torch.swapdims Tensor.swapdims")
@primitive(view=True, self=lambda g, dim0, dim1: transpose(g, dim0, dim1), form="along")
def transpose(self: Array, dim0: int, dim1: int) -> Array:
    """The same elements with two axes exchanged."""
    n = self.ndim
    if n == 0:
        axis(dim0, 0), axis(dim1, 0)
        return self[...]
    try:
        return self.swapaxes(dim0, dim1)
    except ValueError:
        axis(dim0, n), axis(dim1, n)
        raise


@primitive(view=True, self=lambda g, dims: permute(g, inverse(dims)), form="permuted")
def permute(self: Array, dims: Any) -> Array:
    """The same elements with the axes in another order."""
    n = self.ndim
    try:
        return self.transpose(dims) if n else self[...]
    except ValueError:
        _check_order(dims, n)
        raise


def _check_order(dims: Any, n: int) -> None:
    """Say in PyTorch's words why ``dims`` is no order of ``n`` axes."""
    if len(dims) != n:
        fail(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(dims)}"
        )
    for d in dims:
        axis(d, n)
    fail("permute(): duplicate dims are not allowed.")


def inverse(dims: Any) -> tuple[int, ...]:
    """The order of axes that undoes ``dims``."""
    back = [0] * len(dims)
    for i, d in enumerate(dims):
        back[d] = i
    return tuple(back)


# -- axes of length 1 --------------------------------------------------------------------------


@public("torch Tensor")
@primitive(view=True, self=lambda g, dim: squeeze_dim(g, dim), form="along_one_more")
def unsqueeze(self: Array, dim: int) -> Array:
    """One more axis, of length 1."""
    shape = self.shape
    n = len(shape)
    i = axis(dim, n + 1)
    size = (*shape[:i], 1, *shape[i:])
    if regular(self):
        return self.reshape(size)
    step = shape[i] * self.strides[i] if i < n else self.itemsize
    return ops.strides.strided(self, size, (*self.strides[:i], step, *self.strides[i:]))


@primitive(
    view=True, node="SqueezeBackward0", self=lambda g, self_sym_sizes: unsqueeze_to(g, self_sym_sizes),
    form="squeezed",
)
def squeeze_all(self: Array) -> Array:
    """Without the axes of length 1."""
    return self.squeeze() if type(self) is ndarray else self


@primitive(
    view=True,
    node="SqueezeBackward1",
    self=lambda g, self_sym_sizes, dim: unsqueeze_to(g, self_sym_sizes, (dim,)),
    form="squeezed",
)
def squeeze_dim(self: Array, dim: int) -> Array:
    """Without one axis, if it has length 1."""
    n = self.ndim
    i = axis(dim, n)
    return self.squeeze(i) if n and self.shape[i] == 1 else self[...]


@primitive(
    view=True,
    node="SqueezeBackward2",
    self=lambda g, self_sym_sizes, dim: unsqueeze_to(g, self_sym_sizes, dim),
    form="squeezed",
)
def squeeze_axes(self: Array, dim: Any) -> Array:
    """Without those of the given axes that have length 1."""
    n = self.ndim
    chosen = axes(dim, n) if dim else ()
    return self.squeeze(tuple(i for i in chosen if n and self.shape[i] == 1))


@primitive(
    node="SqueezeBackward4", self=lambda g, self_sym_sizes, dim: unsqueeze_to(g, self_sym_sizes, (dim,)),
    form="squeezed",
)
def squeeze_dims(self: Array, dim: int) -> Array:
    """A fresh array without one axis, no view of anything."""
    return squeeze_dim(self, dim)


def unsqueeze_to(g: Value, sizes: Any, dims: Any = None) -> Value:
    """The axes of length 1 that ``sizes`` has, put back; only those among ``dims`` if given."""
    if not isinstance(g, Tensor):
        return g.reshape(sizes)
    n = len(sizes)
    if not n:
        return g
    chosen = range(n) if dims is None else sorted({d % n for d in dims})
    for i in chosen:
        if sizes[i] == 1:
            g = unsqueeze(g, i)
    return g


@public("torch Tensor")
def squeeze(input: Value, dim: Any = None, *more: int) -> Value:
    """Without the axes of length 1, or without those that are named."""
    if more:
        dim = (dim, *more)
    if dim is None:
        return squeeze_all(input)
    if type(dim) is bool:
        raise no_overload("squeeze", input, dim)
    return squeeze_axes(input, tuple(dim)) if isinstance(dim, (tuple, list)) else squeeze_dim(input, int(dim))


# -- parts -------------------------------------------------------------------------------------


@primitive(
    view=True, self=lambda g, self_sym_sizes, dim, index: select_backward(g, self_sym_sizes, dim, index),
    form="along",
)
def select(self: Array, dim: int, index: int) -> Array:
    """The part at one place of an axis."""
    n = self.ndim
    if n == 0:
        raise EngineIndexError("select() cannot be applied to a 0-dim tensor.")
    i = dim if 0 <= dim < n else axis(dim, n)
    try:
        if i == 0:
            # The Ellipsis makes it a view where a bare index would make a scalar.
            return self[index] if n > 1 else self[index, ...]
        return self[:, index] if i == 1 else self[(slice(None),) * i + (index,)]
    except IndexError:
        raise EngineIndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {i}"
        ) from None


@primitive(
    backward=True,
    node="SelectBackwardBackward0",
    grad_output=lambda g, dim, index: select(g, dim, index),
    rounding="exact",
    form="sized",
)
def select_backward(grad_output: Array, input_sizes: Any, dim: int, index: int) -> Array:
    """The gradient of select: zeros around it."""
    out = zeros_of(input_sizes, grad_output.dtype)
    if dim == 0:
        out[index] = grad_output
    else:
        out[(slice(None),) * (dim % len(input_sizes)) + (index,)] = grad_output
    return out


@primitive(
    node="SliceBackward0",
    view=True,
    self=lambda g, self_sym_sizes, dim, start, end, step: slice_backward(g, self_sym_sizes, dim, start, end, step),
    form="along",
)
def slice_(self: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Array:
    """The part between two places of an axis."""
    n = self.ndim
    if n == 0:
        raise EngineIndexError("slice() cannot be applied to a 0-dim tensor.")
    i = axis(dim, n)
    if step <= 0:
        fail("slice step must be positive")
    if i == 0:
        return self[start:end:step]
    return self[(slice(None),) * i + (slice(start, end, step),)]


@primitive(
    backward=True,
    node="SliceBackwardBackward0",
    grad_output=lambda g, dim, start, end, step: slice_(g, dim, start, end, step),
    rounding="exact",
    form="sized",
)
def slice_backward(
    grad_output: Array, input_sizes: Any, dim: int, start: int | None, end: int | None, step: int
) -> Array:
    """The gradient of a slice: zeros around it."""
    out = zeros_of(input_sizes, grad_output.dtype)
    if dim == 0:
        out[start:end:step] = grad_output
    else:
        out[(slice(None),) * (dim % len(input_sizes)) + (slice(start, end, step),)] = grad_output
    return out


@public("torch Tensor")
@primitive(
    view=True,
    self=lambda g, self_sym_sizes, offset, dim1, dim2: diagonal_backward(g, self_sym_sizes, offset, dim1, dim2),
    form="along",
)
def diagonal(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """A diagonal of two axes, as the last axis."""
    n = self.ndim
    i, j = axis(dim1, n), axis(dim2, n)
    if i == j:
        fail(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    d = self.diagonal(offset, i, j)
    if self.flags.writeable:
        d.flags.writeable = True
    return d


@primitive(
    backward=True,
    node="DiagonalBackwardBackward0",
    grad_output=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
    form="sized",
)
def diagonal_backward(grad_output: Array, input_sizes: Any, offset: int, dim1: int, dim2: int) -> Array:
    """The gradient of a diagonal: zeros around it."""
    out = zeros_of(input_sizes, grad_output.dtype)
    d = diagonal(out, offset, dim1, dim2)
    d[...] = grad_output
    return out


@primitive(node="Identity", view=True, self=lambda g: g, rounding="exact", form="same")
def fw_primal(self: Array) -> Array:
    """The value of a dual number."""
    return self[...]
