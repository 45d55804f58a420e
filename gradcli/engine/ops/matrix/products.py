"""Products that PyTorch builds of reshaped ones: outer, inner, kron, tensordot, chains; and the cross product."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineTypeError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import broadcast_problem, fail, is_value, not_a_tensor, only_ints
from ...costs import ALWAYS, costs
from ...declaration import given_for_out
from ...dtypes import F32, zeros_of
from ...numeric.kernels.products import follows
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..common import axis, unlike
from ..pointwise.masks import refuse_bool
from .einsum import parted, turned
from .fitting_operands import c_name, type_name
from .matmul import stacked_product

ndarray = np.ndarray


# -- outer and inner ---------------------------------------------------------------------------


@public("torch Tensor torch.ger Tensor.ger linalg.outer")
@costs("multiplying.pairs")
@composite
def outer(input: Value, vec2: Value) -> Value:
    """Outer product of two vectors."""
    if isinstance(input, ndarray):
        return input[:, None] * vec2
    both_tensors("outer", input, vec2, "vec2")
    for name, v in (("self", input), ("vec2", vec2)):
        if v._a.ndim != 1:
            fail(f"outer: Expected 1-D argument {name}, but got {v._a.ndim}-D")
    return ops.arith.mul(ops.views.reshape(input, (input._a.shape[0], 1)), vec2)


def both_tensors(name: str, input: Any, other: Any, argument: str = "other") -> None:
    """Refuse operands that are no tensors."""
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, "input", 1, input)
    if not isinstance(other, Tensor):
        raise not_a_tensor(name, argument, 2, other)


@public("torch Tensor")
@given_for_out(
    "tensordot: Expected the output tensor to have dtype {found}, but got an output tensor with dtype {given}"
)
@costs("multiplying.inner")
@composite
def inner(input: Value, other: Value) -> Value:
    """Sums of products over the last axes."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor) and isinstance(input, ndarray | np.generic):
        return np.inner(input, other)
    both_tensors("inner", input, other)
    a, b = input._a, other._a
    if a.ndim == 0 or b.ndim == 0:
        return ops.arith.mul(input, other)
    if a.shape[-1] != b.shape[-1]:
        fail(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(a.shape)} and {list(b.shape)}"
        )
    return contracted(input, other, [-1], [-1])


@public("torch Tensor")
@costs("multiplying.pairs")
@composite
def kron(input: Value, other: Value) -> Value:
    """Kronecker product: every element of one times every element of the other."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor) and isinstance(input, ndarray | np.generic):
        return np.kron(input, other)
    both_tensors("kron", input, other)
    n = max(input._a.ndim, other._a.ndim)
    own = (1,) * (n - input._a.ndim) + input._a.shape
    its = (1,) * (n - other._a.ndim) + other._a.shape
    left = _interleaved(input, [k for m in own for k in (m, 1)])
    right = _interleaved(other, [k for m in its for k in (1, m)])
    return _interleaved(ops.arith.mul(left, right), [i * j for i, j in zip(own, its, strict=True)])


def _interleaved(x: Tensor, size: list[int]) -> Value:
    if not x._a.flags.c_contiguous and ops.strides.strides_for(x._memory(), tuple(size)) is None:
        fail(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        )
    return ops.views.unsafe_view(x, tuple(size))


# -- tensordot ---------------------------------------------------------------------------------


@public("torch")
@costs("multiplying.tensordot")
@composite
def tensordot(a: Value, b: Value, dims: Any = 2, out: Any = None) -> Value:
    """Sums of products over pairs of axes."""
    if isinstance(dims, Tensor):
        dims = dims._a.tolist() if dims._a.size > 1 else int(dims._a.item())
    if isinstance(dims, int):
        if dims < 0:
            fail(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(_rank(a), _rank(b)):
            fail(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = (list(range(-dims, 0)), list(range(dims)))
    if not isinstance(dims, (tuple, list)):
        fail(
            "tensordot expects dims to be int or Tuple[List[int], List[int]] or List[List[int]] containing two lists, "
            f"but got dims={dims}"
        )
    dims1, dims2 = ([d] if isinstance(d, int) else list(d) for d in dims)
    return contracted(a, b, dims1, dims2)


def _rank(x: Value) -> int:
    rank: int = x._a.ndim if isinstance(x, Tensor) else x.ndim
    return rank


def contracted(a: Value, b: Value, dims1: list[int], dims2: list[int]) -> Value:
    """Sums of products over the axes ``dims1`` of one and ``dims2`` of the other, as one product of matrices."""
    if not isinstance(a, Tensor):
        return np.tensordot(a, b, (dims1, dims2))
    both_tensors("tensordot", a, b, "b")
    if len(dims1) != len(dims2):
        fail("both dimension lists should have same length")
    if a._a.dtype != b._a.dtype:
        fail("both inputs should have same dtype")
    inner_size = 1
    first, second = a, b
    for i, j in zip(dims1, dims2, strict=True):
        m, n = _extent(a, i), _extent(b, j)
        # An axis that is broadcast can be summed right away.
        if n == 1:
            first = ops.sums.sum_dim(first, (i,), True).to(a.dtype)
        elif m == 1:
            second = ops.sums.sum_dim(second, (j,), True).to(a.dtype)
        elif m != n:
            fail(
                f"contracted dimensions need to match, but first has size {m} in dim {i} and second has size {n} in "
                f"dim {j}"
            )
        else:
            inner_size *= m
    left, right = _rest(first, dims1), _rest(second, dims2)
    size = [first._a.shape[i] for i in left] + [second._a.shape[i] for i in right]
    x = ops.views.permute(first, (*left, *dims1))
    y = ops.views.permute(second, (*dims2, *right))
    rows, columns = _count(first, left), _count(second, right)
    if rows != 1 or columns != 1:
        out = ops.matmul.mm(ops.views.reshape(x, (rows, inner_size)), ops.views.reshape(y, (inner_size, columns)))
    elif x._a.flags.c_contiguous and y._a.flags.c_contiguous:
        out = ops.matmul.dot(_flat(x), _flat(y))
    else:
        out = ops.sums.sum_all(ops.arith.mul(ops.views.squeeze_all(x), ops.views.squeeze_all(y))).to(a.dtype)
    return ops.views.reshape(out, tuple(size))


def _extent(x: Tensor, dim: int) -> int:
    a = x._a
    if a.ndim == 0:
        raise EngineIndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    n: int = a.shape[axis(dim, a.ndim)]
    return n


def _rest(x: Tensor, dims: list[int]) -> list[int]:
    n = x._a.ndim
    taken: set[int] = set()
    for d in dims:
        i = axis(d, n)
        if i in taken:
            fail(f"dim {i} appears multiple times in the list of dims")
        taken.add(i)
    return [i for i in range(n) if i not in taken]


def _count(x: Tensor, dims: list[int]) -> int:
    n = 1
    for i in dims:
        n *= x._a.shape[i]
    return n


def _flat(x: Tensor) -> Value:
    return x if x._a.ndim == 1 else ops.views.reshape(x, (x._a.size,))


# -- chains ------------------------------------------------------------------------------------


@public("linalg")
@given_for_out("multi_dot(): expected out tensor to have dtype {c_found} but got {c_given}")
@costs("multiplying.chained", careful=ALWAYS)
@composite
def multi_dot(tensors: Any) -> Value:
    """Product of several matrices, in the cheapest order; the ends may be vectors."""
    given = list(tensors)
    if len(given) < 2:
        fail(f"multi_dot(): expected at least 2 tensors but got {len(given)}")
    if not isinstance(given[0], Tensor):
        return np.linalg.multi_dot(given)
    chain: list[Any] = list(given)
    size: list[int] = []
    if given[0]._a.ndim == 1:
        chain[0] = ops.views.unsqueeze(given[0], 0)
    elif given[0]._a.ndim == 2:
        size.append(given[0]._a.shape[0])
    else:
        fail(f"multi_dot(): the first tensor must be 1D or 2D but got {given[0]._a.ndim}D")
    if given[-1]._a.ndim == 1:
        chain[-1] = ops.views.unsqueeze(given[-1], -1)
    elif given[-1]._a.ndim == 2:
        size.append(given[-1]._a.shape[1])
    else:
        fail(f"multi_dot(): the last tensor must be 1D or 2D but got {given[-1]._a.ndim}D")
    for i, x in enumerate(given[1:-1], 1):
        if x._a.ndim != 2:
            fail(f"multi_dot(): tensor {i} must be 2D but got {x._a.ndim}D")
    d = chain[0]._a
    for i in range(1, len(chain)):
        x = chain[i]._a
        if x.dtype != d.dtype:
            fail(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {c_name(d)} and tensor {i} "
                f"{c_name(x)}"
            )
        if chain[i - 1]._a.shape[1] != x.shape[0]:
            fail(
                f"multi_dot(): tensors {i - 1} and {i} with shapes {list(given[i - 1]._a.shape)} and "
                f"{list(given[i]._a.shape)} cannot be multiplied"
            )
    return ops.views.view(_multiplied(chain), tuple(size))


def _multiplied(chain: list[Any]) -> Value:
    """The product of a chain of matrices, in the order that costs the fewest multiplications."""
    n = len(chain)
    if n == 3:
        (a, b), (c, d) = chain[0]._a.shape, chain[2]._a.shape
        if a * c * (b + d) > b * d * (a + c):
            return ops.matmul.mm(chain[0], ops.matmul.mm(chain[1], chain[2]))
        return ops.matmul.mm(ops.matmul.mm(chain[0], chain[1]), chain[2])
    sizes = [x._a.shape[0] for x in chain] + [chain[-1]._a.shape[1]]
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], cut[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )

    def part(i: int, j: int) -> Value:
        return chain[i] if i == j else ops.matmul.mm(part(i, cut[i][j]), part(cut[i][j] + 1, j))

    return part(0, n - 1)


@public("torch")
@costs("multiplying.chained", careful=ALWAYS)
@composite
def chain_matmul(*matrices: Any) -> Value:
    """Product of several matrices, in the cheapest order."""
    if not matrices:
        fail("chain_matmul(): Expected one or more matrices")
    for m in matrices:
        if isinstance(m, Tensor) and m._a.ndim != 2:
            fail(f"Tensor dimension is {m._a.ndim}, expected 2 instead.")
    return ops.converting.clone(matrices[0]) if len(matrices) == 1 else multi_dot(matrices)


@public("linalg")
@given_for_out("linalg.vecdot: Expected out of dtype{found} but found {given}")
@under_autocast("lower")
@composite
def vecdot(x: Value, y: Value, dim: int = -1) -> Value:
    """Inner products of vectors along an axis."""
    if type(dim) is not int:
        only_ints("linalg_vecdot", dim=dim)
    if not isinstance(x, Tensor):
        return np.add.reduce(x * y, dim)
    both_tensors("vecdot", x, y, "y")
    if x._a.dtype.kind not in "fc":
        fail(f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {type_name(x._a)}")
    if x._a.dtype is not y._a.dtype:
        fail(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {type_name(x._a)} and y of "
            f"type {type_name(y._a)} instead"
        )
    if x._a.ndim == 1 and y._a.ndim == 1:
        return ops.matmul.vdot(x, y)
    return ops.sums.sum_dim(ops.arith.mul(ops.converting.conj(x), y), (dim,), False)


# -- the cross product -------------------------------------------------------------------------


@public("linalg.cross")
@primitive(
    no_whole="cross but integers",
    broadcasts=True,
    self=lambda g, other, dim: _crossed(other, g, dim),
    other=lambda g, self, dim: _crossed(g, self, dim),
    form="along",
    own_precision=True,
)
def linalg_cross(self: Array, other: Array, dim: int = -1) -> Array:
    """Cross product of vectors of length 3 along an axis."""
    if self.ndim != other.ndim:
        fail("linalg.cross: inputs must have the same number of dimensions.")
    i = axis(dim, self.ndim)
    if self.shape[i] != 3 or other.shape[i] != 3:
        fail(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {self.shape[i]} and {other.shape[i]}"
        )
    if unlike(self, other):
        fail(f"expected scalar type {type_name(self)} but found {type_name(other)}")
    problem = broadcast_problem(self.shape, other.shape)
    if problem is not None:
        raise problem
    a, b = np.moveaxis(self, i, 0), np.moveaxis(other, i, 0)
    out = zeros_of((3, *np.broadcast_shapes(a.shape[1:], b.shape[1:])), np.result_type(a, b))
    for k in range(3):
        p, q = (k + 1) % 3, (k + 2) % 3
        out[k] = a[p] * b[q] - a[q] * b[p]
    return np.ascontiguousarray(np.moveaxis(out, 0, i))


def _crossed(a: Value, b: Value, dim: int) -> Value:
    return linalg_cross(a, b, dim)


@public("torch Tensor")
@given_for_out()
@composite
def cross(input: Value, other: Value, dim: int | None = None) -> Value:
    """Cross product of vectors of length 3 along an axis, by default the first one that has that length."""
    if not is_value(input):
        raise not_a_tensor("cross", "input", 1, input)
    if dim is None:
        warnings.warn(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly "
            "or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
            "linalg.cross in a future release.",
            UserWarning,
            stacklevel=2,
        )
        size = input._a.shape if isinstance(input, Tensor) else input.shape
        if 3 not in size:
            fail("no dimension of size 3 in input")
        dim = size.index(3)
    return linalg_cross(input, other, dim)


# -- the bilinear layer ------------------------------------------------------------------------


@primitive(
    i1=lambda g, i2, i3, expand1, expand2, expand3, sumdim: _trilinear(g, i2, i3, sumdim, expand2, expand3, expand1),
    i2=lambda g, i1, i3, expand1, expand2, expand3, sumdim: _trilinear(i1, g, i3, expand1, sumdim, expand3, expand2),
    i3=lambda g, i1, i2, expand1, expand2, expand3, sumdim: _trilinear(i1, i2, g, expand1, expand2, sumdim, expand3),
)
def trilinear(i1: Array, i2: Array, i3: Array, expand1: Any, expand2: Any, expand3: Any, sumdim: Any) -> Array:
    """Sums of products of three tensors, each of which lacks some of the axes."""
    axes = range(i1.ndim + len(expand1))
    if follows and i1.dtype is i2.dtype is i3.dtype is F32:
        first, second, third = (np.expand_dims(i, e) for i, e in ((i1, expand1), (i2, expand2), (i3, expand3)))
        return _in_pairs(first, second, third, sumdim)
    operands = [
        x for i, e in ((i1, expand1), (i2, expand2), (i3, expand3)) for x in (i, [k for k in axes if k not in e])
    ]
    kept = [k for k in axes if k not in sumdim]
    return np.ascontiguousarray(np.einsum(*operands, kept, optimize=["einsum_path", (0, 1), (0, 1)]))


# PyTorch takes slices along this axis one after the other.
_SLICED = 1


def _in_pairs(i1: Array, i2: Array, i3: Array, sumdim: Any) -> Array:
    """The same, slice by slice: the product of the first two, and that of theirs and the third, added to the rest."""
    sizes = np.broadcast_shapes(i1.shape, i2.shape, i3.shape)
    r = np.zeros([1 if k in sumdim else n for k, n in enumerate(sizes)], F32)
    first = [k for k in sumdim if k != _SLICED and i3.shape[k] == 1]
    for k in range(sizes[_SLICED] if math.prod(sizes) else 0):
        a, b, c = (x if x.shape[_SLICED] == 1 else x[:, k : k + 1] for x in (i1, i2, i3))
        part = _pair(_pair(a, b, first), c, [j for j in sumdim if j != _SLICED and j not in first])
        if _SLICED in sumdim:
            r += part
        else:
            r[:, k : k + 1] += part
    return np.ascontiguousarray(r.squeeze(tuple(sumdim)))


def _pair(a: Array, b: Array, summed: Sequence[int]) -> Array:
    """The sums over axes of the products of two arrays, as those of two stacks of matrices."""
    if not summed:
        return a * b
    for k in summed:
        if a.shape[k] == 1 or b.shape[k] == 1:
            a, b = (x if x.shape[k] == 1 else x.sum(k, keepdims=True) for x in (a, b))
    stack, left, right = parted(a.shape, b.shape, summed)
    if turned(left, right):
        a, b, left, right = b, a, right, left

    def as_matrices(x: Array, rows: Sequence[int], columns: Sequence[int], rest: Sequence[int]) -> Array:
        sizes = [math.prod(x.shape[k] for k in axes) for axes in (stack, rows, columns)]
        return x.transpose(*stack, *rows, *columns, *rest).reshape(sizes)

    r = stacked_product(as_matrices(a, left, summed, right), as_matrices(b, summed, right, left))
    order = [*stack, *left, *summed, *right]
    sizes = [1 if k in summed else max(a.shape[k], b.shape[k]) for k in order]
    return r.reshape(sizes).transpose(np.argsort(order))


def _trilinear(*operands: Any) -> Value:
    return trilinear(*operands)


def _check_one_type(given: dict[str, Value]) -> None:
    """Refuse operands of several element types; a complex step beside real numbers is none."""
    arrays = {name: x._a if isinstance(x, Tensor) else x for name, x in given.items()}
    if len({a.dtype for a in arrays.values()}) > 1 and all(a.dtype.kind != "c" for a in arrays.values()):
        found = ", ".join(f"{name}: {c_name(a)}" for name, a in arrays.items())
        fail(f"All tensors must have the same dtype, got {found}")


@public("F torch")
@costs("multiplying.bilinear")
@composite
def bilinear(input1: Value, input2: Value, weight: Value, bias: Value = None) -> Value:
    """Bilinear layer, input1 @ weight[k] @ input2 for each k."""
    for position, (name, x) in enumerate((("input1", input1), ("input2", input2), ("weight", weight))):
        if not isinstance(x, Tensor) and not isinstance(x, ndarray):
            raise EngineTypeError(
                f"bilinear(): argument '{name}' (position {position + 1}) must be Tensor, not {type(x).__name__}"
            )
    _check_one_type({"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias}))
    s1, s2, s3 = (tuple(x.shape) for x in (input1, input2, weight))
    if len(s1) != len(s2):
        fail(f"bilinear(): input dimensions do not match: got {len(s1)} and {len(s2)}")
    for i, (m, n) in enumerate(zip(s1[:-1], s2[:-1], strict=True)):
        if m != n:
            fail(f"bilinear(): input batch dimensions do not match at dim {i}: got {m} and {n}")
    for k, size in ((1, s1), (2, s2)):
        if size[-1] != s3[k]:
            fail(f"bilinear(): input{k} size does not match weight size: got {size[-1]} but expected {s3[k]}")
    refuse_bool("bmm", *(x._a if isinstance(x, Tensor) else x for x in (input1, input2, weight)))
    if bias is not None and bias.shape[0] != s3[0]:
        fail(f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {s3[0]}")
    rows1, rows2 = ops.views.reshape(input1, (-1, s1[-1])), ops.views.reshape(input2, (-1, s2[-1]))
    out = trilinear(rows1, weight, rows2, (1, 3), (0,), (1, 2), (2, 3))
    out = ops.views.reshape(out, (*s1[:-1], s3[0]))
    return out if bias is None else ops.arith.add(out, bias)
