"""Ops that read one triangle of a matrix, judged where that is all of it; and what the matrix ops say and show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.engine.ops.matrix import decompositions, matmul, triangular
from gradcli.engine.ops.matrix.lu import lu, order_of, solved, solved_triangular
from gradcli.engine.ops.matrix.square import mT
from gradcli.engine.ops.shape import reordering
from gradcli.engine.tensor import Tensor, result

X = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4], [-0.4, 0.8, 0.1]])
STACK = np.stack([X, 1.5 - X, X.T * 0.6])
RIGHT = np.array([[0.7, 1.1], [-1.3, 0.2], [2.4, -0.9]])
H = 1e-30


def positive(x: Any) -> Any:
    return matmul.matmul(x, mT(x)) + _constant(np.eye(3) * 2, x)


def symmetric(x: Any) -> Any:
    return (x + mT(x)) * _constant(np.array(0.5), x)


def lower(x: Any) -> Any:
    return reordering.tril(x, 0) + _constant(np.eye(3) * 4, x)


def _constant(a: np.ndarray[Any, Any], like: Any) -> Any:
    return result(a) if isinstance(like, Tensor) else a


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "cholesky": lambda x: triangular.linalg_cholesky_ex(positive(x))[0],
    "cholesky, upper": lambda x: triangular.linalg_cholesky_ex(positive(x), True)[0],
    "cholesky, old": lambda x: triangular.cholesky_(positive(x)),
    "eigh, values": lambda x: decompositions.linalg_eigh(symmetric(x))[0],
    "eigh, vectors": lambda x: decompositions.linalg_eigh(symmetric(x))[1],
    "eigh, upper": lambda x: decompositions.linalg_eigh(symmetric(x), "U")[1],
    "cholesky_solve": lambda x: triangular.cholesky_solve(_constant(RIGHT, x), lower(x)),
    "cholesky_solve, upper": lambda x: triangular.cholesky_solve(_constant(RIGHT, x), mT(lower(x)), True),
    "cholesky_inverse": lambda x: triangular.cholesky_inverse(lower(x)),
    "cholesky_inverse, upper": lambda x: triangular.cholesky_inverse(mT(lower(x)), True),
}


@pytest.mark.parametrize("x", [X, STACK], ids=["matrix", "stack"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_through_one_triangle(name: str, x: np.ndarray[Any, Any]) -> None:
    f = FUNCTIONS[name]
    random = np.random.default_rng(7)
    t = result(x.copy()).requires_grad_()
    y = f(t)
    weights = random.normal(size=y.shape)
    first = torch.autograd.grad((y * result(weights)).sum(), t, create_graph=True)[0]
    plain = torch.autograd.grad((f(t) * result(weights)).sum(), t)[0]
    np.testing.assert_allclose(first.detach().numpy(), plain.numpy(), rtol=1e-13, atol=1e-13)
    v = random.normal(size=x.shape)
    slope = np.sum(plain.numpy() * v)
    step = np.imag(np.sum(f(x + 1j * H * v) * weights)) / H
    assert slope == pytest.approx(step, rel=1e-11)
    ends = [np.sum(f(x + s * 1e-6 * v) * weights) for s in (1, -1)]
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)

    def gradient(at: np.ndarray[Any, Any]) -> Any:
        u = result(at).requires_grad_()
        return torch.autograd.grad((f(u) * result(weights)).sum(), u)[0].numpy()

    w = random.normal(size=x.shape)
    second = torch.autograd.grad((first * result(w)).sum(), t)[0].numpy()
    ends = [np.sum(gradient(x + s * 1e-6 * v) * w) for s in (1, -1)]
    assert np.sum(second * v) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-6)


def test_shown_factors_make_the_matrix_again() -> None:
    a = result(STACK.copy()).requires_grad_()
    node = torch.linalg.solve(a, result(RIGHT)).grad_fn
    packed, pivots = node._saved_LU.numpy(), node._saved_pivots.numpy()
    unpacked = (np.tril(packed, -1) + np.eye(3)) @ np.triu(packed)
    rows = np.take_along_axis(STACK, np.broadcast_to(order_of(pivots, 3)[..., None], STACK.shape), -2)
    np.testing.assert_allclose(unpacked, rows, atol=1e-14)


def test_factors_are_gone_when_the_rest_is() -> None:
    a = result(X.copy()).requires_grad_()
    y = torch.linalg.det(a)
    node = y.grad_fn
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = node._saved_LU


def test_a_singular_matrix_divides_by_zero() -> None:
    ones = np.ones((2, 2))
    assert lu(ones)[2] == 2
    assert not np.isfinite(solved(ones, np.eye(2))).any()
    zero = np.array([[0.0, 1.0], [0.0, 2.0]])
    assert np.isposinf(solved_triangular(zero, np.array([[1.0], [1.0]]), True)[0, 0])
    u = np.array([[0.0, 3.0], [0.0, 2.0]])
    x = solved_triangular(u, np.array([[3.0], [2.0]]), True, True, True)
    np.testing.assert_allclose(x, [[-3.0], [2.0]])


def test_a_determinant_of_zero_has_a_gradient_of_zero_unless_it_is_recorded() -> None:
    stack = result(np.stack([np.ones((2, 2)), np.eye(2) * 3])).requires_grad_()
    y = torch.linalg.det(stack).sum()
    plain = torch.autograd.grad(y, stack, retain_graph=True)[0].numpy()
    np.testing.assert_allclose(plain, [np.zeros((2, 2)), np.eye(2) * 3], atol=1e-14)
    recorded = torch.autograd.grad(y, stack, create_graph=True)[0].detach().numpy()
    np.testing.assert_allclose(recorded, [[[1, -1], [-1, 1]], np.eye(2) * 3], atol=1e-14)


ERRORS = {
    "torch.mm(a, a)": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "a @ v2": "size mismatch, got input (2), mat (2x3), vec (2)",
    "v @ v2": (
        "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of elements, but got 3 and "
        "2 elements respectively"
    ),
    "torch.bmm(b, b)": "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 2].",
    "torch.mm(a, a.float().t())": "expected m1 and m2 to have the same dtype, but got: double != float",
    "torch.addmm(v2, a, a.t().mm(a))": (
        "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 1.  Target "
        "sizes: [2, 3].  Tensor sizes: [2]"
    ),
    "torch.einsum('ij,jk->iz', a, a.t())": (
        "einsum(): output subscript z does not appear in the equation for any input operand"
    ),
    "torch.linalg.inv(ones)": (
        "linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because the input matrix is "
        "singular."
    ),
    "torch.linalg.solve(ones, v2)": "torch.linalg.solve: The solver failed because the input matrix is singular.",
    "torch.linalg.cholesky(-ones)": (
        "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the "
        "leading minor of order 1 is not positive-definite)."
    ),
    "torch.linalg.det(a)": "linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices",
    "torch.linalg.multi_dot([a, a])": (
        "multi_dot(): tensors 0 and 1 with shapes [2, 3] and [2, 3] cannot be multiplied"
    ),
}


@pytest.mark.parametrize("code", ERRORS)
def test_errors_have_pytorchs_words(code: str) -> None:
    a = result(np.arange(6.0).reshape(2, 3))
    names = {
        "torch": torch, "a": a, "v": result(np.ones(3)), "v2": result(np.ones(2)), "ones": result(np.ones((2, 2))),
        "b": result(np.ones((2, 2, 3))),
    }  # fmt: skip
    with pytest.raises(RuntimeError) as caught:
        eval(code, names)
    assert str(caught.value) == ERRORS[code]


def test_what_overflows_on_the_way_warns_nobody(torch: Any) -> None:
    large = torch.eye(80) * 3e38
    assert torch.linalg.det(large).isinf()
    assert torch.linalg.slogdet(large)[1].isfinite()
    assert torch.linalg.svdvals(torch.full((2, 2), 3e38))[0].isinf()
