"""Products added to something: addmm and its like, and the linear layer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineIndexError
from ... import ops
from ...autocasting import cast_first, under_autocast
from ...call_errors import fail, not_a_tensor
from ...calls.keeping import note_version
from ...costs import costs
from ...declaration import CASTABLE, given_for_out
from ...dtypes import BF16, F16, is_complex, promote, zeros_of
from ...graph import freed, recorded
from ...modes import aside, casting, mode, recording, unrecorded
from ...numeric.halves import are_half, converted
from ...numeric.kernels.products import of_vector, product
from ...registry import Op, composite, dressed, primitive, public
from ...tensor import INFERENCE, Array, Tensor, Value, View, _new
from ...walk.rules import check_version, runners
from ..common import scaled, unlike
from ..pointwise.masks import refuse_bool
from .fitting_operands import c_name, fits_bmm, fits_inner, type_name
from .matmul import flipped, mat1_backward, mat2_backward, stacked_product, strides_of, turned

ndarray = np.ndarray


# -- adding ------------------------------------------------------------------------------------


def combined(c: Array, r: Array, beta: Any, alpha: Any) -> Array:
    """``beta * c + alpha * r``, with ``r`` a fresh product; ``c`` counts for nothing when beta is 0."""
    d = r.dtype
    if d.kind in "iu":
        beta, alpha = int(beta), int(alpha)
    if not expands(c, r.shape):
        refuse_size(c, r.shape)
    if alpha != 1:
        r = r * alpha
    if beta == 0:
        return r
    if beta != 1:
        c = c * beta
    return np.add(r, c, r) if c.dtype is d and type(r) is ndarray else r + c


def expands(c: Array, size: tuple[int, ...]) -> bool:
    """Tell whether ``c`` can be expanded to ``size``."""
    lead = len(size) - c.ndim
    return lead >= 0 and all(n in (1, m) for n, m in zip(c.shape, size[lead:], strict=True))


def refuse_size(c: Array, size: tuple[int, ...]) -> None:
    """PyTorch's words for a tensor that cannot be expanded."""
    ops.views.expand(zeros_of(c.shape, c.dtype), size)


def matrix(a: Array, name: str) -> None:
    """Refuse what is no matrix."""
    if a.ndim != 2:
        fail(f"{name} must be a matrix, got {a.ndim}-D tensor")


def fits_addmm(c: Array, a: Array, b: Array) -> None:
    """Refuse what addmm cannot add and multiply."""
    matrix(a, "mat1")
    matrix(b, "mat2")
    fits_inner(a, b)
    if not expands(c, (a.shape[0], b.shape[1])):
        refuse_size(c, (a.shape[0], b.shape[1]))
    same_types(c, a, b)
    refuse_bool("addmm_impl_cpu_", a)


def same_types(c: Array, a: Array, b: Array) -> None:
    """Refuse operands of different element types."""
    if c.dtype != b.dtype:
        fail(f"self and mat2 must have the same dtype, but got {type_name(c)} and {type_name(b)}")
    if a.dtype != b.dtype:
        fail(f"mat1 and mat2 must have the same dtype, but got {type_name(a)} and {type_name(b)}")


# The arguments of addmm and its like that are no factors: those, beta and alpha, come by name only.
_WITHOUT_FACTORS = 3

# -- addmm, with a shorter way to call it and to run its rules ---------------------------------


@costs("multiplying.added")
@primitive(
    autocast="lower",
    positional=_WITHOUT_FACTORS,
    broadcasts=True,
    self=lambda g, beta: scaled(g, beta),
    mat1=lambda g, mat2, mat1_sym_sizes, mat1_sym_strides, alpha: scaled(
        mat1_backward(g, mat2, mat1_sym_sizes, mat1_sym_strides), alpha
    ),
    mat2=lambda g, mat1, mat2_sym_sizes, mat2_sym_strides, alpha: scaled(
        mat2_backward(g, mat1, mat2_sym_sizes, mat2_sym_strides), alpha
    ),
    form="mm_added",
)
def addmm(self: Array, mat1: Array, mat2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """Product of two matrices, and something added: beta * self + alpha * mat1 @ mat2."""
    if beta == 1 and alpha == 1 and self.dtype == mat1.dtype and expands(self, (len(mat1), mat2.shape[1])):
        # What is added comes before the products in some kernels.
        return product(mat1, mat2, self)
    return combined(self, product(mat1, mat2), beta, alpha)


def _quick_addmm(general: Any) -> Any:
    op: Op = general.op
    assert op.saves == ("mat1", "mat2")
    assert op.attrs == ("beta", "mat1_sym_sizes", "mat1_sym_strides", "alpha", "mat2_sym_sizes", "mat2_sym_strides")
    node_type: Any = None

    def call(input: Value, mat1: Value, mat2: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
        nonlocal node_type
        if not isinstance(input, Tensor) or not isinstance(mat1, Tensor) or not isinstance(mat2, Tensor):
            return general(*_tensors(op, input, mat1, mat2), beta, alpha)
        if casting() is not None:
            return general(input, mat1, mat2, beta, alpha)
        a, b, c = mat1._a, mat2._a, input._a
        d = a.dtype
        if a.ndim != 2 or b.ndim != 2 or d is not b.dtype or d is not c.dtype or d.kind != "f":
            if is_complex((a, b, c)):
                return op.on_complex(input, mat1, mat2, beta, alpha)
            fits_addmm(c, a, b)
        if d is BF16 or d is F16:
            fits_addmm(c, a, b)
            return general(input, mat1, mat2, beta, alpha)
        try:
            if beta == 1 and alpha == 1:
                r = product(a, b, c)
            else:
                r = combined(c, product(a, b), beta, alpha)
        except ValueError:
            fits_addmm(c, a, b)
            raise
        t = _new(Tensor)
        t._a = r
        t._vc = None
        n0, n1, n2 = input._node, mat1._node, mat2._node
        if (n0 is None and n1 is None and n2 is None) or not recording():
            if mode.aside:
                aside(op, (input, mat1, mat2, beta, alpha), t)
            return t
        if node_type is None:
            node_type = op.node_type()
            node_type.run = _run_addmm
        attrs = (
            beta, a.shape, () if n1 is None else strides_of(a), alpha, b.shape, () if n2 is None else strides_of(b),
        )  # fmt: skip
        t._node = node = recorded(node_type, (n0, n1, n2), attrs, r.shape, d)
        x = None if n2 is None else mat1
        y = None if n1 is None else mat2
        node.saved = (x, y)
        if x is not None and x._vc is not None:
            note_version(node, 0, x)
        if y is not None and y._vc is not None:
            note_version(node, 1, y)
        if mode.tape is not None:
            mode.tape.record(node, op, (input, mat1, mat2, beta, alpha), (r,))
        return t

    return dressed(call, op)


def _tensors(op: Op, *values: Any) -> tuple[Any, ...]:
    """Operands that are all tensors, or all arrays."""
    if any(isinstance(v, Tensor) for v in values):
        for i, v in enumerate(values):
            if not isinstance(v, Tensor):
                raise not_a_tensor(op.name, op.parameters[i], i + 1, v)
    return values


def _run_addmm(node: Any, g: Any, edges: Any) -> Any:
    if node.saved is None:
        raise freed()
    x, y = node.saved
    if are_half(g):
        shares: Any = runners(node.op)[0](node, g, edges)
        return shares
    beta, size1, stride1, alpha, size2, stride2 = node.attrs
    e0, e1, e2 = edges
    g0 = g1 = g2 = None
    if e0 is not None:
        g0 = g if beta == 1 else g * beta
        if len(e0.shape) == 1 and e0.shape[0] == g.shape[1]:
            g0 = ops.sums.summed(g0, (0,), False)
    if e1 is not None:
        if y._vc is not None:
            check_version(node, 1, y)
        g1 = mat1_backward(g, y._a, size1, stride1)
    if e2 is not None:
        if x._vc is not None:
            check_version(node, 0, x)
        g2 = mat2_backward(g, x._a, size2, stride2)
    if alpha == 1:
        return g0, g1, g2
    return g0, None if g1 is None else g1 * alpha, None if g2 is None else g2 * alpha


addmm = _quick_addmm(addmm)
public("torch.addmm Tensor.addmm Tensor_.addmm")(addmm)


# -- its relatives -----------------------------------------------------------------------------


@public("torch Tensor Tensor_ torch_")
@costs("multiplying.added")
@primitive(
    positional=_WITHOUT_FACTORS,
    broadcasts=True,
    self=lambda g, beta: scaled(g, beta),
    mat=lambda g, vec, alpha: scaled(ops.products.outer(g, vec), alpha),
    vec=lambda g, mat, alpha: scaled(ops.matmul.mv(flipped(mat), g), alpha),
    form="mv_added",
)
def addmv(self: Array, mat: Array, vec: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """Product of a matrix and a vector, and something added: beta * self + alpha * mat @ vec."""
    if mat.ndim != 2 or vec.ndim != 1 or self.ndim > 1:
        fail(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    (n, k), (m,) = mat.shape, vec.shape
    if k != m or self.size not in (1, n):
        fail(f"size mismatch, got input ({self.size}), mat ({n}x{k}), vec ({m})")
    if unlike(self, mat, vec):
        fail(
            f"addmv input tensors must have the same dtype, but got {type_name(self)}, {type_name(mat)}, and "
            f"{type_name(vec)}"
        )
    refuse_bool("addmv_impl_cpu", self)
    return combined(self, of_vector(mat, vec), beta, alpha)


@public("torch Tensor Tensor_")
@given_for_out(CASTABLE, cast=True)
@costs("multiplying.added_outer")
@primitive(
    positional=_WITHOUT_FACTORS,
    broadcasts=True,
    self=lambda g, beta: scaled(g, beta),
    vec1=lambda g, vec2, alpha: scaled(ops.matmul.mv(g, vec2), alpha),
    vec2=lambda g, vec1, alpha: scaled(ops.matmul.mv(flipped(g), vec1), alpha),
    form="outer_added",
)
def addr(self: Array, vec1: Array, vec2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """Outer product of two vectors, and something added: beta * self + alpha * outer(vec1, vec2)."""
    for name, v in (("vec1", vec1), ("vec2", vec2)):
        if v.ndim != 1:
            fail(f"addr: Expected 1-D argument {name}, but got {v.ndim}-D")
    if not expands(self, (vec1.size, vec2.size)):
        refuse_size(self, (vec1.size, vec2.size))
    # Those without axes count for less.
    d = promote(self, vec1, vec2)
    vec1, vec2 = converted(vec1, d), converted(vec2, d)
    r = vec1[:, None] * vec2
    if d.kind in "iub":
        for name, number in (("beta", beta), ("alpha", alpha)):
            if isinstance(number, float):
                fail(f"For integral input tensors, argument {name} must not be a floating point number.")
    if d.kind == "b":
        beta, alpha = int(bool(beta)), int(bool(alpha))
        return (r & bool(alpha)) | (self & bool(beta))
    return combined(converted(self, d), r, beta, alpha)


@public("torch Tensor Tensor_")
@costs("multiplying.added_up")
@under_autocast("lower")
@primitive(
    positional=_WITHOUT_FACTORS,
    broadcasts=True,
    self=lambda g, beta: scaled(g, beta),
    batch1=lambda g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2, batch2_sym_argsize_2, alpha: scaled(
        ops.matmul.bmm(
            spread(g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2), turned(batch2)
        ),
        alpha,
    ),
    batch2=lambda g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch1, batch2_sym_argsize_2, alpha: scaled(
        ops.matmul.bmm(
            turned(batch1), spread(g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2)
        ),
        alpha,
    ),
    form="summed_added",
)
def addbmm(self: Array, batch1: Array, batch2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """Sum of the products of two stacks of matrices, and something added."""
    size = (_length(batch1, 1), _length(batch2, 2))
    if not expands(self, size):
        refuse_size(self, size)
    for name, a in (("batch1", batch1), ("batch2", batch2)):
        if a.ndim != 3:
            fail(f"{name} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0]:
        fail(f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}")
    if unlike(self, batch1, batch2):
        same_types(self, batch1, batch2)
    if batch1.shape[2] != batch2.shape[1]:
        sizes = "{}x{} and {}x{}".format(*batch1.shape[1:], *batch2.shape[1:])
        fail(f"Incompatible matrix sizes for bmm ({sizes})")
    refuse_bool("addmm_impl_cpu_", batch1)
    # One product of matrices does what a sum of products would.
    n, m, k = batch1.shape
    r = batch1.transpose(1, 0, 2).reshape(m, n * k).dot(batch2.reshape(n * k, batch2.shape[2]))
    return combined(self, r, beta, alpha)


def spread(g: Value, n: int, m: int, p: int) -> Value:
    """``g`` as a stack of ``n`` times itself."""
    if isinstance(g, Tensor):
        return ops.views.expand(ops.views.unsqueeze(g, 0), (n, m, p))
    return np.broadcast_to(g, (n, m, p))


def _length(a: Array, dim: int) -> int:
    if dim >= a.ndim:
        raise EngineIndexError(
            f"Dimension out of range (expected to be in range of [{-a.ndim}, {a.ndim - 1}], but got {dim})"
        )
    return int(a.shape[dim])


@public("torch Tensor Tensor_")
@costs("multiplying.added")
@primitive(
    autocast="lower",
    positional=_WITHOUT_FACTORS,
    broadcasts=True,
    self=lambda g, beta: scaled(g, beta),
    batch1=lambda g, batch2, alpha: scaled(ops.matmul.bmm(g, turned(batch2)), alpha),
    batch2=lambda g, batch1, alpha: scaled(ops.matmul.bmm(turned(batch1), g), alpha),
    form="bmm_added",
)
def baddbmm(self: Array, batch1: Array, batch2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """Products of two stacks of matrices, and something added: beta * self + alpha * batch1 @ batch2."""
    size = (_length(batch1, 0), _length(batch1, 1), _length(batch2, 2))
    if not expands(self, size):
        refuse_size(self, size)
    if batch1.ndim != 3 or batch2.ndim != 3:
        fits_bmm(batch1, batch2)
    if unlike(self, batch1, batch2):
        fits_bmm(batch1, batch2)
        s, x, y = (c_name(a) for a in (self, batch1, batch2))
        fail(f"Input dtypes must be the same, got: input {s}, batch1: {x}, batch2: {y}")
    refuse_bool("baddbmm", batch1)
    if batch2.shape[:2] != (size[0], batch1.shape[2]):
        fits_bmm(batch1, batch2)
    if beta == alpha == 1 and self.dtype is batch1.dtype and self.shape == size:
        # What is added comes before the products in some kernels.
        return stacked_product(batch1, batch2, self)
    return combined(self, stacked_product(batch1, batch2), beta, alpha)


# -- layers ------------------------------------------------------------------------------------


def turned_weight(w: Tensor) -> Tensor:
    """``w.t()``, by a shorter way: every linear layer asks for it at every call."""
    a = w._a
    if a.ndim != 2:
        return ops.views.t(w)  # type: ignore[no-any-return]
    v: Any = _new(View)
    v._a = a.T
    base = w if w._base is None else w._base
    v._base = base
    vc = base._vc
    v._made = 0 if vc is None else vc.n
    if w._inference:
        v._inference = True
    n = w._node
    if not recording():
        v._without_grad = INFERENCE if mode.inference else True
    elif n is not None:
        v._own = node = recorded(ops.views.t.op.node_type(), (n,), (), v._a.shape, a.dtype)
        if mode.tape is not None:
            mode.tape.record(node, ops.views.t.op, (w,), (v._a,))
        return v  # type: ignore[no-any-return]
    if mode.aside:
        unrecorded(ops.views.t.op, (w,), v)
    return v  # type: ignore[no-any-return]


@public("F")
@given_for_out()
@costs("multiplying.linear")
@composite
def linear(input: Value, weight: Value, bias: Value = None) -> Value:
    """Linear layer, input @ weight.T + bias."""
    if casting() is not None:
        return cast_first("lower", linear, (input, weight, bias), {})
    if not isinstance(input, Tensor):
        if isinstance(input, ndarray):
            y = ops.matmul.matmul(input, weight.T)
            return y if bias is None else y + bias
        raise not_a_tensor("linear", "input", 1, input)
    if not isinstance(weight, Tensor):
        raise not_a_tensor("linear", "weight", 2, weight)
    n = input._a.ndim
    if n == 0 or weight._a.ndim == 0:
        fail(f"both arguments to linear need to be at least 1D, but they are {n}D and {weight._a.ndim}D")
    if bias is None:
        return ops.matmul.matmul(input, turned_weight(weight))
    if not isinstance(bias, Tensor):
        raise not_a_tensor("linear", "bias", 3, bias)
    if n == 2:
        return addmm(bias, input, turned_weight(weight))
    size = input._a.shape
    row = bias._a.ndim == 1 or (bias._a.ndim == 2 and bias._a.shape[0] == 1)
    if row and input._a.flags.c_contiguous:
        flat = ops.views.view(input, (math.prod(size[:-1]), size[-1]))
        y = addmm(bias, flat, turned_weight(weight))
        return ops.views.view(y, (*size[:-1], y._a.shape[1]))
    y = ops.matmul.matmul(input, turned_weight(weight))
    steps = 0 if y._inference else y._version
    out = ops.matmul.written(ops.arith.add(y, bias), 1)
    if out._a.shape != y._a.shape:
        fail(f"output with shape {list(y._a.shape)} doesn't match the broadcast shape {list(out._a.shape)}")
    return ops.matmul.written(out, steps)
