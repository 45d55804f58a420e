"""Products of complex matrices and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...complex_twins import twin
from ...tensor import Array, Value
from ..common import scaled
from ..matrix import addmm, fitting_operands as fitting, matmul
from .lazy import conjugate as conj


def _addmm(self: Array, mat1: Array, mat2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    addmm.fits_addmm(self, mat1, mat2)
    return addmm.addmm.op.forward(self, mat1, mat2, beta, alpha)


mm, mv, bmm = matmul.mm, matmul.mv, matmul.bmm
flipped, turned = matmul.flipped, matmul.turned


def _by_mat1(g: Value, mat2: Value, sizes: Any, strides: Any) -> Value:
    columns = strides[0] == 1 and strides[1] == sizes[0]
    if columns:
        return ops.views.t(mm(conj(mat2), ops.views.t(g)))
    return mm(g, conj(ops.views.t(mat2)))


def _by_mat2(g: Value, mat1: Value, sizes: Any, strides: Any) -> Value:
    columns = strides[0] == 1 and strides[1] == sizes[0]
    if columns:
        return ops.views.t(mm(ops.views.t(g), conj(mat1)))
    return mm(conj(ops.views.t(mat1)), g)


def _mm(self: Array, mat2: Array) -> Array:
    fitting.fits_mm(self, mat2)
    return self.dot(mat2)


def _mv(self: Array, vec: Array) -> Array:
    fitting.fits_mv(self, vec)
    return self.dot(vec)


def _dot(self: Array, tensor: Array) -> Array:
    fitting.fits_dot(self, tensor)
    return self.dot(tensor)


def _vdot(self: Array, other: Array) -> Array:
    fitting.fits_dot(self, other)
    return np.vdot(self, other)


def _bmm(self: Array, mat2: Array) -> Array:
    fitting.fits_bmm(self, mat2)
    return np.matmul(self, mat2)


twin(
    mm, _mm,
    self=lambda g, mat2, self_sym_sizes, self_sym_strides: _by_mat1(g, mat2, self_sym_sizes, self_sym_strides),
    mat2=lambda g, self, mat2_sym_sizes, mat2_sym_strides: _by_mat2(g, self, mat2_sym_sizes, mat2_sym_strides),
)  # fmt: skip
twin(
    mv, _mv, self=lambda g, vec: ops.products.outer(g, conj(vec)), vec=lambda g, self: mv(conj(flipped(self)), g)
)  # fmt: skip
twin(matmul.dot, _dot, self=lambda g, tensor: g * conj(tensor), tensor=lambda g, self: g * conj(self))
twin(matmul.vdot, _vdot, self=lambda g, other: conj(g) * other, other=lambda g, self: g * self)
twin(bmm, _bmm, self=lambda g, mat2: bmm(g, conj(turned(mat2))), mat2=lambda g, self: bmm(conj(turned(self)), g))
twin(
    addmm.addmm, _addmm,
    self=lambda g, beta: scaled(g, conj(beta)),
    mat1=lambda g, mat2, mat1_sym_sizes, mat1_sym_strides, alpha: scaled(
        _by_mat1(g, mat2, mat1_sym_sizes, mat1_sym_strides), conj(alpha)
    ),
    mat2=lambda g, mat1, mat2_sym_sizes, mat2_sym_strides, alpha: scaled(
        _by_mat2(g, mat1, mat2_sym_sizes, mat2_sym_strides), conj(alpha)
    ),
)  # fmt: skip
twin(
    addmm.addmv,
    self=lambda g, beta: scaled(g, conj(beta)),
    mat=lambda g, vec, alpha: scaled(ops.products.outer(g, conj(vec)), conj(alpha)),
    vec=lambda g, mat, alpha: scaled(mv(conj(flipped(mat)), g), conj(alpha)),
)  # fmt: skip
twin(
    addmm.addr,
    self=lambda g, beta: scaled(g, conj(beta)),
    vec1=lambda g, vec2, alpha: scaled(mv(g, conj(vec2)), conj(alpha)),
    vec2=lambda g, vec1, alpha: scaled(mv(flipped(g), conj(vec1)), conj(alpha)),
)  # fmt: skip
twin(
    addmm.addbmm,
    self=lambda g, beta: scaled(g, conj(beta)),
    batch1=lambda g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2, batch2_sym_argsize_2, alpha: scaled(
        bmm(
            addmm.spread(g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2), conj(turned(batch2))
        ),
        conj(alpha),
    ),
    batch2=lambda g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch1, batch2_sym_argsize_2, alpha: scaled(
        bmm(
            conj(turned(batch1)), addmm.spread(g, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2)
        ),
        conj(alpha),
    ),
)  # fmt: skip
twin(
    addmm.baddbmm,
    self=lambda g, beta: scaled(g, conj(beta)),
    batch1=lambda g, batch2, alpha: scaled(bmm(g, conj(turned(batch2))), conj(alpha)),
    batch2=lambda g, batch1, alpha: scaled(bmm(conj(turned(batch1)), g), conj(alpha)),
)  # fmt: skip
