"""Tensors of a few entries, as the gradients of tables are."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ....errors import EngineTypeError, EngineValueError, Unsupported
from ... import dtypes, ops
from ...call_errors import fail
from ...costs import ALWAYS, costs
from ...dtypes import BF16, as_numpy
from ...memory.places import sparse_coo
from ...modes import recording
from ...numeric.sparse import Sparse, coalesced, is_sparse, lent, made_of, plain, sparse_of
from ...registry import composite, primitive, public
from ...tensor import ENTRIES, Array, Size, Tensor, Value, View, result
from .from_data import as_tensor


def _refuse_bfloat16(d: Any) -> None:
    """Refuse an element type whose arrays cannot know their places."""
    if d is BF16:
        raise Unsupported("sparse tensors of bfloat16 are not supported", help="take those of float32")


def account(name: str, self: Tensor) -> Sparse:
    """The array of a sparse tensor."""
    a: Sparse = self._a
    if not is_sparse(a):
        fail(f"{name} expected sparse coordinate tensor layout but got Strided")
    return a


@public("torch sparse.FloatTensor sparse.DoubleTensor sparse.HalfTensor sparse.LongTensor sparse.IntTensor")
@costs("making.sparse", careful=ALWAYS)
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, check_invariants: Any = None, is_coalesced: Any = None,
) -> Any:  # fmt: skip
    """A tensor that is zero but for values at places."""
    del device, pin_memory, check_invariants
    if values is None:
        given = indices if size is None else size
        if not isinstance(given, (tuple, list)) or not all(isinstance(n, int) for n in given):
            raise EngineTypeError(
                f"sparse_coo_tensor() received an invalid combination of arguments - got ({type(given).__name__})"
            )
        sizes = tuple(given)
        d: Any = dtypes.default.float if dtype is None else as_numpy(dtype)
        _refuse_bfloat16(d)
        return result(made_of(np.zeros((len(sizes), 0), np.int64), np.zeros(0, d), sizes))
    places: Any = as_tensor(indices)
    held: Any = as_tensor(values, dtype)
    if places.dim() != 2:
        fail(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    at = np.array(places._a, np.int64)
    _refuse_bfloat16(held.dtype.np)
    numbers = held._a
    if size is None:
        shape: tuple[int, ...] = (*(int(n) + 1 for n in at.max(1, initial=-1)), *numbers.shape[1:])
    else:
        shape = tuple(int(n) for n in size)
    count = len(numbers) if numbers.ndim else 1
    if at.shape[1] != count:
        fail(
            f"indices and values must have same nnz, but got nnz from indices: {at.shape[1]}, nnz from values: {count}"
        )
    if not numbers.ndim:
        held, numbers = held.reshape(1), numbers.reshape(1)
    for d, (row, n) in enumerate(zip(at, shape, strict=False)):
        if row.size and not 0 <= row.min() <= row.max() < n:
            fail(f"size is inconsistent with indices: for dim {d}, size is {n} but found index {int(row.max())}")
    made: Any = with_values(result(at), held, shape, bool(is_coalesced))
    if isinstance(numbers, np.ndarray) and numbers.flags.writeable:
        lent(made._a).values = numbers
    return made.detach().requires_grad_() if requires_grad else made


def _numbers_at(g: Value, indices: Value) -> Value:
    """The numbers at places, of an array or a tensor that may be sparse itself."""
    rows = list(indices.unbind(0)) if isinstance(indices, Tensor) else list(indices)
    return ops.subscripts.index(in_full(g), rows)


def in_full(x: Value) -> Value:
    """All numbers of an array or a tensor, be it sparse or not."""
    if isinstance(x, Tensor):
        return dense(x) if is_sparse(x._a) else x
    return plain(x)


def at_places_of(g: Value, like: Value) -> Value:
    """The numbers at the places of a sparse array or tensor, as sparse as that; all where it is not."""
    a = like._a if isinstance(like, Tensor) else like
    if not is_sparse(a):
        return in_full(g)
    a = coalesced(a)
    if isinstance(g, Tensor):
        places = result(a.places)
        return with_values(places, _numbers_at(g, places), a.shape, a.coalesced)
    return made_of(a.places, plain(g)[tuple(a.places)], a.shape, a.coalesced)


@primitive(
    without_rule=("indices",), values=lambda g, indices: _numbers_at(g, indices),
    node="SparseCooTensorWithDimsAndTensorsBackward0",
)  # fmt: skip
def with_values(indices: Array, values: Array, size: Any, is_coalesced: bool = False) -> Array:
    """Values at places of an array that is zero elsewhere."""
    return made_of(indices, np.array(values), tuple(size), is_coalesced)


@primitive(node="ToDenseBackward0", self=lambda g, self: at_places_of(g, self))
def dense(self: Array) -> Array:
    """All numbers of a sparse array."""
    return np.array(plain(self))


@primitive(node="ToSparseBackward1", self=lambda g: in_full(g))
def entries(self: Array, axes: int) -> Array:
    """An array as one that is sparse along its first axes."""
    return sparse_of(self, axes)


@primitive(node="CoalesceBackward0", self=lambda g: g)
def in_order(self: Array) -> Array:
    """The same with each place once, in order."""
    return coalesced(self) if is_sparse(self) else np.array(self)


@primitive(
    without_rule=("indices",), node="ValuesBackward0",
    self=lambda g, indices, self_sym_sizes: with_values(indices, g, self_sym_sizes, True),
)  # fmt: skip
def values_at(self: Array, indices: Array) -> Array:
    """The entries at places that stand there once, in the memory of the tensor."""
    a: Any = self
    return lent(a).values if is_sparse(a) else a[tuple(indices)]


@public("Tensor")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: Any = None) -> Any:
    """All numbers of a tensor of a few entries."""
    del masked_grad
    if not is_sparse(self._a):
        return self if dtype is None else self.to(dtype)
    found: Any = dense(self)
    return found if dtype is None else found.to(dtype)


@public("Tensor")
def coalesce(self: Tensor) -> Any:
    """The same with each place once, in order."""
    return self if account("coalesce", self).coalesced else in_order(self)


@public("Tensor")
def is_coalesced(self: Tensor) -> bool:
    """True if no place stands twice."""
    return account("is_coalesced", self).coalesced


@public("Tensor")
def indices(self: Tensor) -> Any:
    """The places of the entries, a row for each axis."""
    return _part(self, lent(_sorted_out("indices", self)).places)


@public("Tensor")
def values(self: Tensor) -> Any:
    """The entries."""
    a = _sorted_out("values", self)
    if not (recording() and self.requires_grad):
        return _part(self, lent(a).values)
    # What is written to them is not followed: a view, to be read alone while gradients are recorded.
    found: Any = values_at(self, result(a.places))
    view = object.__new__(View)
    view._a, view._base, view._own, view._siblings = found._a, self, found._node, ENTRIES
    view._made = self._counter().n
    return view


def _part(self: Tensor, part_of_it: Array) -> Any:
    """The places or the values of a tensor, in its memory, and written to together with it."""
    part = result(part_of_it)
    part._vc = self._counter()
    return part


def _sorted_out(name: str, self: Tensor) -> Sparse:
    a = account(name, self)
    if not a.coalesced:
        fail(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
    return a


@public("Tensor._indices")
def places_of(self: Tensor) -> Any:
    """The places of the entries, of which some may stand twice."""
    return _part(self, lent(account("_indices", self)).places)


@public("Tensor._values")
def entries_of(self: Tensor) -> Any:
    """The entries, of which some may be for one place."""
    return _part(self, lent(account("_values", self)).values)


@public("Tensor._nnz")
def count_of(self: Tensor) -> int:
    """The number of entries."""
    return int(account("_nnz", self).places.shape[1])


@public("Tensor")
def sparse_dim(self: Tensor) -> int:
    """The number of axes that are sparse."""
    return len(self._a.places) if is_sparse(self._a) else 0


@public("Tensor")
def dense_dim(self: Tensor) -> int:
    """The number of axes that are not sparse."""
    return self.dim() - int(sparse_dim(self))


@primitive(
    without_rule=("places",), node="SparseMaskBackward0",
    self=lambda g, places, self_sym_sizes: in_full(with_values(places, _numbers_at(g, places), self_sym_sizes, True)),
)  # fmt: skip
def masked(self: Array, places: Array, is_coalesced: bool) -> Array:
    """The entries of an array at some places."""
    return made_of(places, plain(self)[tuple(places)], self.shape, is_coalesced)


@public("Tensor")
def sparse_mask(self: Tensor, mask: Tensor) -> Any:
    """The entries of a tensor at the places of a sparse one."""
    a = account("sparse_mask", mask)
    if self.shape != mask.shape:
        raise EngineValueError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(Size(self.shape))} but mask has "
            f"size {list(Size(mask.shape))}"
        )
    return masked(self, result(a.places), a.coalesced)


# -- there, and what is computed with them -------------------------------------------------------


@public("Tensor Tensor.to_sparse_coo")
@costs("making.entries", careful=ALWAYS)
def to_sparse(self: Tensor, sparse_dim: int | None = None, *, layout: Any = None, **given: Any) -> Any:
    """The entries of a tensor that are not zero, with their places."""
    if given or layout not in (None, sparse_coo):
        raise Unsupported(f"sparse tensors of layout {layout} are not supported: there is torch.sparse_coo alone")
    _refuse_bfloat16(self.dtype.np)
    axes = self.dim() if sparse_dim is None else sparse_dim
    if not 0 <= axes <= self.dim():
        fail(f"dense_to_sparse: sparse_dim argument must be in [0,{self.dim()}] range, but {axes} is given")
    return self if self.is_sparse else entries(self, axes)


def _compressed(name: str) -> Any:
    def refuse(*args: Any, **given: Any) -> NoReturn:
        raise Unsupported(f"{name}() is not supported: of sparse layouts there is torch.sparse_coo alone")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Refused: there is one sparse layout."
    return refuse


public("Tensor.to_sparse_csr")(_compressed("to_sparse_csr"))
public("Tensor.to_sparse_csc")(_compressed("to_sparse_csc"))
public("Tensor.to_sparse_bsr")(_compressed("to_sparse_bsr"))
public("Tensor.to_sparse_bsc")(_compressed("to_sparse_bsc"))
public("torch.sparse_compressed_tensor")(_compressed("sparse_compressed_tensor"))
public("torch.sparse_csr_tensor")(_compressed("sparse_csr_tensor"))
public("torch.sparse_csc_tensor")(_compressed("sparse_csc_tensor"))
public("torch.sparse_bsr_tensor")(_compressed("sparse_bsr_tensor"))
public("torch.sparse_bsc_tensor")(_compressed("sparse_bsc_tensor"))


@primitive(
    self=lambda g, beta: ops.arith.mul_number(g, beta) if beta != 1 else g,
    mat1=lambda g, mat1, mat2, alpha: at_places_of(
        _scaled(ops.matmul.mm(g, ops.views.transpose(in_full(mat2), 0, 1)), alpha), mat1
    ),
    mat2=lambda g, mat1, alpha: _scaled(ops.matmul.mm(ops.views.transpose(mat1, 0, 1), g), alpha),
)  # fmt: skip
def sparse_addmm(self: Array, mat1: Array, mat2: Array, beta: float = 1, alpha: float = 1) -> Array:
    """A tensor plus the product of a sparse matrix and a dense one."""
    product = np.matmul(plain(mat1), plain(mat2))
    product = product if alpha == 1 else product * self.dtype.type(alpha)
    return product if beta == 0 else product + (self if beta == 1 else self * self.dtype.type(beta))


def _scaled(x: Value, factor: float) -> Value:
    return x if factor == 1 else ops.arith.mul_number(x, factor)


def _first_share(g: Value, mat1: Value, mat2: Value) -> Value:
    return at_places_of(ops.matmul.mm(in_full(g), ops.views.transpose(in_full(mat2), 0, 1)), mat1)


def _second_share(g: Value, mat1: Value, mat2: Value) -> Value:
    return at_places_of(ops.matmul.mm(ops.views.transpose(in_full(mat1), 0, 1), in_full(g)), mat2)


@primitive(
    node="SparseSparseMatmulBackward0", mat1=lambda g, mat1, mat2: _first_share(g, mat1, mat2),
    mat2=lambda g, mat1, mat2: _second_share(g, mat1, mat2),
)  # fmt: skip
def sparse_matmul(mat1: Array, mat2: Array) -> Array:
    """The product of two sparse matrices, which is sparse."""
    return sparse_of(np.matmul(plain(mat1), plain(mat2)), 2)


@primitive(
    node="MmBackward0", self=lambda g, self, mat2: _first_share(g, self, mat2),
    mat2=lambda g, self, mat2: _second_share(g, self, mat2),
)  # fmt: skip
def sparse_mm(self: Array, mat2: Array) -> Array:
    """The product of two sparse matrices as torch.mm knows it."""
    return sparse_of(np.matmul(plain(self), plain(mat2)), 2)


@public("sparse.mm")
@composite
def sparse_product(sparse: Tensor, dense: Tensor) -> Any:
    """The product of a sparse matrix and another: sparse, if both are."""
    if sparse.is_sparse and dense.is_sparse:
        return sparse_matmul(sparse, dense)
    if not sparse.is_sparse:
        fail("sparse.mm: of a dense matrix and another, use torch.mm")
    start = result(np.zeros((sparse.shape[0], dense.shape[1]), sparse._a.dtype))
    return sparse_addmm(start, sparse, dense, 0, 1)


@public("sparse.addmm")
@composite
def sparse_product_added(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """A tensor plus the product of a sparse matrix and a dense one."""
    return sparse_addmm(mat, mat1, mat2, beta, alpha)
