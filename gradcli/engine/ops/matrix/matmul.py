"""Products of matrices and vectors, each one call of BLAS, and `@` built of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import ops
from ...autocasting import cast_first
from ...call_errors import broadcast_problem, fail, not_a_tensor
from ...calls.keeping import note_version
from ...costs import costs
from ...declaration import given_for_out
from ...dtypes import BF16, F16, F32
from ...graph import freed, recorded
from ...modes import aside, casting, mode, recording
from ...numeric.halves import are_half, computed, of_arrays
from ...numeric.kernels.products import follows, of_vector, product, stacked
from ...numeric.kernels.sums import inner
from ...registry import Op, composite, dressed, primitive, public
from ...tensor import Array, Tensor, Value, Version, _new
from ...walk.rules import _run_crossed, check_version
from .fitting_operands import fits_bmm, fits_dot, fits_mm, fits_mv

ndarray = np.ndarray


# -- calling: a shorter way for ops that training spends its time in ----------------------------


def quick(fits: Callable[[Array, Array], None], rank1: int, rank2: int) -> Callable[[Any], Any]:
    """A shorter call, and a shorter backward, of an op of two tensors whose rules each ask for the other one.

    ``fits`` refuses operands that do not go together; it is asked only when something looks unusual.
    """

    def declare(general: Any) -> Any:
        op: Op = general.op
        first, second = op.parameters
        assert op.saves == (first, second)
        forward = op.forward
        sized = bool(op.attrs)
        casts = op.autocast is not None
        node_type: Any = None

        def call(input: Value, other: Value = None, **kwargs: Any) -> Value:
            nonlocal node_type
            if not isinstance(input, Tensor) or not isinstance(other, Tensor):
                if second in kwargs:
                    return call(input, kwargs.pop(second), **kwargs)
                if isinstance(input, ndarray) and isinstance(other, ndarray):
                    return of_arrays(computed, forward, input, other) if are_half(input) else forward(input, other)
                if other is None:
                    return general(input, **kwargs)
                if isinstance(input, Tensor):
                    raise not_a_tensor(op.name, second, 2, other)
                if not isinstance(input, (ndarray, np.generic)):
                    raise not_a_tensor(op.name, first, 1, input)
                return general(input, other, **kwargs)
            if kwargs or (casting() is not None and casts):
                return general(input, other, **kwargs)
            a, b = input._a, other._a
            d = a.dtype
            if a.ndim != rank1 or b.ndim != rank2 or d is not b.dtype or d.kind != "f":
                if d.kind == "c" or b.dtype.kind == "c":
                    return op.on_complex(input, other)
                fits(a, b)
            if d is BF16 or d is F16:
                fits(a, b)
                return general(input, other)
            try:
                r = forward(a, b)
            except ValueError:
                fits(a, b)
                raise
            t = _new(Tensor)
            t._a = r
            t._vc = None
            n1, n2 = input._node, other._node
            if (n1 is None and n2 is None) or not recording() or d.kind not in "fc":
                if mode.aside:
                    aside(op, (input, other), t)
                return t
            if node_type is None:
                node_type = op.node_type()
                node_type.run = (_run_sized if sized else _run_crossed)(*op.rules.values())
            attrs = (
                (a.shape, strides_of(a) if n1 is not None else (), b.shape, strides_of(b) if n2 is not None else ())
                if sized
                else ()
            )
            t._node = node = recorded(node_type, (n1, n2), attrs, r.shape, d)
            x = input if n2 is not None else None
            y = other if n1 is not None else None
            node.saved = (x, y)
            if x is not None and x._vc is not None:
                note_version(node, 0, x)
            if y is not None and y._vc is not None:
                note_version(node, 1, y)
            if mode.tape is not None:
                mode.tape.record(node, op, (input, other), (r,))
            return t

        return dressed(call, op)

    return declare


def _run_sized(rule1: Any, rule2: Any) -> Any:
    """Each operand's rule asks for the other operand, and for its own sizes and strides."""

    def run(node: Any, g: Any, edges: Any) -> Any:
        if node.saved is None:
            raise freed()
        x, y = node.saved
        e1, e2 = edges
        g1 = g2 = None
        if e1 is not None:
            if y._vc is not None:
                check_version(node, 1, y)
            g1 = rule1(g, y._a, node.attrs[0], node.attrs[1])
        if e2 is not None:
            if x._vc is not None:
                check_version(node, 0, x)
            g2 = rule2(g, x._a, node.attrs[2], node.attrs[3])
        return g1, g2

    return run


def strides_of(a: Array) -> tuple[int, ...]:
    """The steps of a matrix along its axes, in elements."""
    s, t = a.strides
    n = a.itemsize
    if s == 0 and not a.size:
        return max(a.shape[1], 1), 1
    return s // n, t // n


def flipped(x: Value) -> Value:
    """The transpose of a matrix."""
    return x.T if isinstance(x, ndarray) else ops.views.t(x)


def turned(x: Value) -> Value:
    """The transposes of a stack of matrices."""
    return x.swapaxes(1, 2) if isinstance(x, ndarray) else ops.views.transpose(x, 1, 2)


# -- the products ------------------------------------------------------------------------------


def mat1_backward(g: Value, mat2: Value, sizes: Any, strides: Any) -> Value:
    """The gradient of the left factor, with its columns together when the factor had them so."""
    columns = strides[0] == 1 and strides[1] == sizes[0]
    if type(g) is ndarray:
        return product(mat2, g.T).T if columns else product(g, mat2.T)
    return ops.views.t(mm(mat2, ops.views.t(g))) if columns else mm(g, ops.views.t(mat2))


def mat2_backward(g: Value, mat1: Value, sizes: Any, strides: Any) -> Value:
    """The gradient of the right factor, with its columns together when the factor had them so."""
    columns = strides[0] == 1 and strides[1] == sizes[0]
    if type(g) is ndarray:
        return product(g.T, mat1).T if columns else product(mat1.T, g)
    return ops.views.t(mm(ops.views.t(g), mat1)) if columns else mm(ops.views.t(mat1), g)


@public("torch Tensor torch.spmm")
@costs("multiplying.matmul")
@quick(fits_mm, 2, 2)
@primitive(
    autocast="lower",
    self=lambda g, mat2, self_sym_sizes, self_sym_strides: mat1_backward(g, mat2, self_sym_sizes, self_sym_strides),
    mat2=lambda g, self, mat2_sym_sizes, mat2_sym_strides: mat2_backward(g, self, mat2_sym_sizes, mat2_sym_strides),
    form="mm",
)
def mm(self: Array, mat2: Array) -> Array:
    """Product of two matrices."""
    return product(self, mat2)


@public("torch Tensor")
@costs("multiplying.matmul")
@quick(fits_mv, 2, 1)
@primitive(self=lambda g, vec: _outer(g, vec), vec=lambda g, self: _transposed_mv(self, g), form="mv")
def mv(self: Array, vec: Array) -> Array:
    """Product of a matrix and a vector."""
    return of_vector(self, vec)


def _outer(g: Value, vec: Value) -> Any:
    return ops.products.outer(g, vec)


def _transposed_mv(mat: Value, g: Value) -> Value:
    return mv(flipped(mat), g)


@public("torch Tensor")
@given_for_out("result dtype {given} does not match input dtype {found}")
@quick(fits_dot, 1, 1)
@primitive(self=lambda g, tensor: g * tensor, tensor=lambda g, self: g * self, form="dot")
def dot(self: Array, tensor: Array) -> Array:
    """Inner product of two vectors."""
    return inner(self, tensor) if follows else self.dot(tensor)


@public("torch Tensor")
@given_for_out("result dtype {given} does not match input dtype {found}")
@quick(fits_dot, 1, 1)
@primitive(self=lambda g, other: g * other, other=lambda g, self: g * self, form="dot")
def vdot(self: Array, other: Array) -> Array:
    """Inner product of two vectors."""
    return inner(self, other) if follows else self.dot(other)


@public("torch Tensor")
@costs("multiplying.matmul")
@quick(fits_bmm, 3, 3)
@primitive(
    autocast="lower",
    self=lambda g, mat2: _stacked_mm(g, turned(mat2)), mat2=lambda g, self: _stacked_mm(turned(self), g),
    form="bmm",
)
def bmm(self: Array, mat2: Array) -> Array:
    """Products of two stacks of matrices."""
    if self.ndim != 3 or mat2.ndim != 3 or self.shape[::2] != mat2.shape[:2]:
        fits_bmm(self, mat2)
    return stacked_product(self, mat2)


# Stacks of products with fewer terms than this PyTorch sums without BLAS.
_FEW_TERMS = 400


def stacked_product(a: Array, b: Array, added: Array | None = None) -> Array:
    """The products of two stacks of matrices, and ``added`` when given, rounded as PyTorch does."""
    rows, columns = a.shape[1], b.shape[2]
    if not 0 < rows * a.shape[2] * columns < _FEW_TERMS or a.dtype.kind != "f" or not len(a):
        if len(a) == 1:
            return product(dense(a[0]), dense(b[0]), None if added is None else added[0])[None]
        return stacked(dense(a), dense(b), added)
    r = _of_few_terms(a, b)
    return r if added is None else np.add(r, added, r)


def _of_few_terms(a: Array, b: Array) -> Array:
    """Small ones, one term after the other."""
    rows, columns = a.shape[1], b.shape[2]
    # In each of einsum's inner loops several sums have one more term: the last axis has to be one of the results.
    if columns > 1:
        return np.einsum("bij,bjk->bik", np.ascontiguousarray(a), np.ascontiguousarray(b))
    if rows > 1:
        return np.einsum("bji,bj->bi", a.transpose(0, 2, 1).copy(), np.ascontiguousarray(b[:, :, 0]))[:, :, None]
    return np.add.accumulate(a[:, 0] * b[:, :, 0], 1)[:, -1:, None].copy()


def _stacked_mm(a: Value, b: Value) -> Value:
    return bmm(a, b)


def dense(a: Array) -> Array:
    """``a``, copied if BLAS cannot read its matrices where they are."""
    return a if a.itemsize in a.strides[-2:] else np.ascontiguousarray(a)


# -- matmul, as PyTorch builds it --------------------------------------------------------------


@public("torch Tensor linalg")
@given_for_out("result dtype {given} does not match input dtype {found}")
@costs("multiplying.matmul")
@composite
def matmul(input: Value, other: Value) -> Value:
    """Product of matrices, vectors, or broadcast stacks of them."""
    if casting() is not None:
        return cast_first("lower", matmul, (input, other), {})
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        if isinstance(input, ndarray) and isinstance(other, ndarray):
            if input.dtype is F32 is other.dtype and input.ndim == other.ndim == 2:
                return product(dense(input), dense(other))
            if input.ndim < 3 and other.ndim < 3:
                return input.dot(other)
            return np.matmul(dense(input) if input.ndim > 1 else input, dense(other) if other.ndim > 1 else other)
        raise not_a_tensor("matmul", *(("other", 2, other) if isinstance(input, Tensor) else ("self", 1, input)))
    n1, n2 = input._a.ndim, other._a.ndim
    if n1 == 2 and n2 == 2:
        return mm(input, other)
    if n1 == 0 or n2 == 0:
        fail(f"both arguments to matmul need to be at least 1D, but they are {n1}D and {n2}D")
    if n1 == 1 and n2 == 1:
        return dot(input, other)
    if n1 == 2 and n2 == 1:
        return mv(input, other)
    if n1 == 1 and n2 == 2:
        return written(ops.views.squeeze_dims(mm(ops.views.unsqueeze(input, 0), other), 0))
    if _folds(input, other):
        return _folded(input, other)
    return _batched(input, other)


@public("Tensor.__matmul__")
@costs("multiplying.matmul")
def matmul_operator(self: Tensor, other: Any) -> Any:
    """``self @ other``."""
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


@public("Tensor.__rmatmul__")
@costs("multiplying.matmul")
def matmul_reflected(self: Tensor, other: Any) -> Any:
    """``other @ self``."""
    return matmul(other, self) if isinstance(other, Tensor) else NotImplemented


def written(t: Tensor, times: int = 1) -> Tensor:
    """A fresh tensor, its version as after so many more in-place steps."""
    vc = t._vc
    if vc is None:
        vc = t._vc = Version()
    vc.n += times
    return t


def _folds(a: Tensor, b: Tensor) -> bool:
    """Tell whether the factor with more axes becomes one matrix, rather than the other one a stack."""
    first = a._a.ndim >= b._a.ndim
    large, small = (a, b) if first else (b, a)
    x = large._a
    if x.ndim < 3 or small._a.ndim > 2:
        return False
    if small._node is not None:
        return True
    if a._a.ndim == 2:
        return False
    if x.size == 0:
        return True
    if not first:
        x = x.swapaxes(-1, -2)
    return all(x.strides[i] == x.strides[i + 1] * x.shape[i + 1] for i in range(x.ndim - 2))


def _folded(a: Tensor, b: Tensor) -> Tensor:
    first = a._a.ndim >= b._a.ndim
    large = a if first else ops.views.transpose(b, -2, -1)
    small = b if first else flipped(a) if a._a.ndim == 2 else a
    size = large._a.shape
    rows: Value = ops.views.reshape(large, (math.prod(size[:-1]), size[-1]))
    if small._a.ndim == 1:
        return ops.views.unsafe_view(mv(rows, small), size[:-1])  # type: ignore[no-any-return]
    out = ops.views.unsafe_view(mm(rows, small), (*size[:-1], small._a.shape[1]))
    return out if first else ops.converting.contiguous(ops.views.transpose(out, -2, -1))  # type: ignore[no-any-return]


def _batched(a: Tensor, b: Tensor) -> Tensor:
    x, y = a._a, b._a
    if x.ndim == 3 and y.ndim == 3 and x.shape[0] != y.shape[0]:
        # A stack of one that needs a gradient is better a matrix than many copies of it.
        if x.shape[0] == 1 and a._node is not None:
            return matmul(ops.views.squeeze_dim(a, 0), b)  # type: ignore[no-any-return]
        if y.shape[0] == 1 and b._node is not None:
            return matmul(a, ops.views.squeeze_dim(b, 0))  # type: ignore[no-any-return]
    stack1, stack2 = x.shape[:-2], y.shape[:-2]
    stack = stack1
    if stack1 != stack2:
        problem = broadcast_problem(stack1, stack2)
        if problem is not None:
            raise problem
        stack = np.broadcast_shapes(stack1, stack2)
    count = math.prod(stack)
    n, k = x.shape[-2:] if x.ndim > 1 else (1, x.shape[0])
    left = ops.views.reshape(ops.views.expand(a, (*stack, n, k)), (count, n, k))
    right = ops.views.expand(b, (*stack, *y.shape[-2:]))
    if y.ndim == 1:
        column = ops.views.unsqueeze(ops.views.reshape(right, (count, y.shape[0])), 2)
        out = ops.views.squeeze_dim(bmm(left, column), -1)
    else:
        out = bmm(left, ops.views.reshape(right, (count, *y.shape[-2:])))
    size = (*stack, *x.shape[-2:-1], *(y.shape[-1:] if y.ndim > 1 else ()))
    return ops.views.unsafe_view(out, size)  # type: ignore[no-any-return]
