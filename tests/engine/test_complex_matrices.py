"""Linear algebra of complex matrices beside PyTorch's: values, nodes, two orders of gradients, and what is refused."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import offers

from .test_complex import nodes, plain

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

# Functions of a square matrix A, a positive definite one H, a tall one T, a right-hand side B, a real matrix R.
EXPRESSIONS = """
linalg.inv(A) | linalg.inv_ex(A)[0] | linalg.solve(A, B) | linalg.solve(A, B[:, 0])
linalg.solve(A, T, left=False).clone() | linalg.solve_triangular(A, B, upper=True)
linalg.solve_triangular(A, B, upper=False, unitriangular=True) | linalg.solve_triangular(A, T, upper=True, left=False)
torch.triangular_solve(B, A)[0] | linalg.det(A) | torch.triangular_solve(B, A, upper=False, transpose=True)[0]
linalg.slogdet(A)[0] | linalg.slogdet(A)[1] | torch.logdet(A) | linalg.slogdet(A).sign * linalg.slogdet(A).logabsdet
linalg.cholesky(H) | torch.cholesky(H) | linalg.cholesky(H, upper=True) | torch.cholesky_solve(B, linalg.cholesky(H))
torch.cholesky_inverse(linalg.cholesky(H)) | torch.cholesky_solve(B, A, upper=True) | linalg.qr(T).R | linalg.qr(T).Q
linalg.qr(T.mH)[1] | linalg.qr(T.mH)[0] | linalg.qr(T).Q[0, 0] * linalg.qr(T).R | linalg.svdvals(T) | linalg.svd(T)[1]
linalg.svd(T, False)[0].abs() | linalg.svd(T, full_matrices=False).Vh.abs()
linalg.svd(T.mH, full_matrices=False).U.abs() | torch.svd(T).V.abs()
linalg.svd(T, False).U.abs() @ linalg.svd(T, False).Vh.abs() | linalg.eigvalsh(H) | linalg.eigh(H)[1].abs()
linalg.eigh(H).eigenvectors.abs() * linalg.eigh(H, "U").eigenvalues | linalg.eigvals(A).abs().sort()[0]
linalg.eigvals(R).abs().sort()[0] | linalg.eigvals(A).sum()
(linalg.eig(A)[1].abs().exp().to(A.dtype) @ linalg.eig(A)[0]).sum() | linalg.eig(R).eigenvectors.abs().sum()
linalg.matrix_exp(A) | linalg.matrix_power(A, 3) | linalg.matrix_power(A, -2) | linalg.pinv(T) | linalg.pinv(T.mH)
linalg.pinv(H, hermitian=True) | torch.pinverse(T) | linalg.lstsq(T, T[:, :1])[0]
linalg.lstsq(T, T[:, :1] * 2j, driver="gels")[1] | linalg.multi_dot([T, A, B]) | linalg.norm(A) | linalg.norm(A, "nuc")
linalg.norm(A, 2) | linalg.norm(A, 1) | linalg.matrix_norm(A, float("inf")) | linalg.vector_norm(A, 3) | linalg.cond(A)
linalg.vecdot(A, H) | torch.outer(A[0], H[1]) | linalg.cross(A, H) | torch.linalg.tensorsolve(A, B[:, 0])
torch.linalg.tensorinv(A[:, :, None], 1) | linalg.vander(A[0]) | linalg.lu(A)[1] | linalg.lu(A)[2] | linalg.lu(T).L
linalg.lu_factor(A)[0] | linalg.lu_solve(*linalg.lu_factor(A), B)
linalg.lu_solve(*linalg.lu_factor(A), B, adjoint=True) | linalg.lu_solve(*linalg.lu_factor(A), T, left=False).clone()
torch.lu_unpack(*linalg.lu_factor(T))[2] | linalg.eigvals(H[:1, :1]) | linalg.matrix_rank(T)
linalg.det(A - A[:, :1] @ A[:1] / A[0, 0]) | linalg.inv(torch.stack([A, H])) | linalg.det(A[:1, :1])
linalg.det(torch.stack([A, A - A[:, :1] @ A[:1] / A[0, 0]])) | linalg.slogdet(torch.stack([A, H]))[1]
"""
CASES = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]


def leaves(library: Any) -> dict[str, Any]:
    random = np.random.default_rng(7)

    def drawn(*size: int) -> Any:
        return random.normal(size=size) + 1j * random.normal(size=size)

    A, T, B = drawn(3, 3), drawn(4, 3), drawn(3, 2)
    given = {"A": A, "H": A @ A.conj().T + np.eye(3), "T": T, "B": B, "R": random.normal(size=(3, 3))}
    return {name: library.tensor(a.tolist(), dtype=_wide(library, a), requires_grad=True) for name, a in given.items()}


def _wide(library: Any, a: Any) -> Any:
    return library.complex128 if a.dtype.kind == "c" else library.float64


def loss(y: Any) -> Any:
    return ((y * (0.3 - 0.7j)).real.sin().sum() + (y.real * y.imag).sum()) if y.is_complex() else y.sin().sum()


def outcome(expression: str, library: Any) -> dict[str, Any]:
    given = leaves(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Nothing of it comes from outside: the cases stand above.
        y = eval(expression, {"torch": library, "linalg": library.linalg, **given})
        found = {"value": plain(y), "shape": tuple(y.shape), "nodes": None, "first": [], "second": []}
        if not y.requires_grad:
            return found
        first = library.autograd.grad(loss(y), list(given.values()), create_graph=True, allow_unused=True)
        plainly = library.autograd.grad(loss(y), list(given.values()), allow_unused=True, retain_graph=True)
        depends = [g for g in first if g is not None and g.requires_grad]
        total = sum((loss(g) for g in depends), start=library.zeros((), dtype=library.float64))
        second = library.autograd.grad(total, list(given.values()), allow_unused=True)
    return found | {
        "nodes": nodes(y), "first": [plain(g) for g in (*first, *plainly)], "second": [plain(g) for g in second],
        "backward nodes": [nodes(g) for g in depends],
    }  # fmt: skip


@pytest.mark.parametrize("expression", CASES)
def test_an_expression_is_what_it_is_in_pytorch(expression: str) -> None:
    ours, theirs = outcome(expression, gradcli), outcome(expression, torch)
    assert ours["nodes"] == theirs["nodes"]
    assert (ours["value"].dtype, ours["shape"]) == (theirs["value"].dtype, theirs["shape"])
    np.testing.assert_allclose(ours["value"], theirs["value"], rtol=1e-12, atol=1e-12)
    for order in ("first", "second"):
        for mine, its in zip(ours[order], theirs[order], strict=True):
            assert (mine is None) == (its is None)
            if mine is not None:
                assert mine.dtype == its.dtype
                scale = max(1.0, float(np.max(np.abs(its))))
                np.testing.assert_allclose(mine, its, rtol=1e-11, atol=1e-11 * scale)
    assert ours.get("backward nodes") == theirs.get("backward nodes")


SAID = """
linalg.svd(T, False)[0].real.sum().backward() | linalg.svd(T, False)[2].real.sum().backward()
linalg.eigh(H)[1].real.sum().backward() | linalg.eig(A)[1].real.sum().backward() | linalg.eig(T) | linalg.eigvals(B)
linalg.eig(A.int()) | linalg.eigvals(A.real.half()) | linalg.eig(1) | linalg.eig(A[0])
linalg.solve(A, R) | linalg.solve(R, B) | linalg.inv(A * 0) | linalg.solve(A * 0, B) | linalg.cholesky(-H)
linalg.cholesky(A[:, :2]) | linalg.cross(A, R) | linalg.lstsq(T, T[:, :1].real) | linalg.lu_factor(A * 0)
linalg.qr(T, mode="complete")[0].abs().sum().backward() | linalg.qr(T, mode="r")[1].abs().sum().backward()
linalg.qr(T, mode="x") | linalg.svd(A[0]) | linalg.eigh(T) | linalg.eigh(A, "x") | linalg.pinv(A[0])
linalg.eig(R.detach())[0].dtype | linalg.eig(R.detach().float())[1].dtype | linalg.eigvals(R.detach()).dtype
linalg.eigvals(A.to(torch.complex64)).dtype | linalg.slogdet(A).sign.dtype | linalg.slogdet(A)[1].dtype
linalg.cholesky(H.detach() * torch.tensor([[-1.0, 1, 1], [1, 1, 1], [1, 1, 1]])) | linalg.eig(A[:0, :0])[1].shape
linalg.lstsq(T, T[:, :1], driver="gels")[1].dtype | linalg.cholesky_ex(H).info | type(linalg.eig(A)).__name__
"""


def said(expression: str, library: Any) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = eval(expression, {"torch": library, "linalg": library.linalg, **leaves(library)})
            return repr(found).replace("gradcli", "torch")
    except Exception as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize("expression", [e.strip() for line in SAID.strip().splitlines() for e in line.split(" | ")])
def test_what_is_said_is_what_pytorch_says(expression: str) -> None:
    assert said(expression, gradcli) == said(expression, torch)


def test_the_eigenvalues_of_matrices_are_those_of_pytorch() -> None:
    random = np.random.default_rng(3)
    for a in (random.normal(size=(5, 5)), random.normal(size=(2, 4, 4)) + 1j * random.normal(size=(2, 4, 4))):
        ours, theirs = gradcli.linalg.eig(gradcli.tensor(a)), torch.linalg.eig(torch.tensor(a))
        assert ours.eigenvalues.dtype.name == "complex128"
        np.testing.assert_allclose(
            np.sort_complex(plain(ours.eigenvalues)), np.sort_complex(plain(theirs.eigenvalues)), rtol=1e-11
        )
        made = plain(ours.eigenvectors) * plain(ours.eigenvalues)[..., None, :]
        np.testing.assert_allclose(a @ plain(ours.eigenvectors), made, atol=1e-12)


def test_no_name_is_offered_by_two_declarations() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for source in offers.modules().values():
        for where, function in offers._declarations(offers._text(source)):
            for each in where.split():
                place, _, name = each.partition(".")
                found[place, name or function] += 1
    # Which of them a program meets would depend on what was read first.
    assert [name for name, count in found.items() if count > 1] == []


def test_a_conjugate_in_memory_is_one() -> None:
    z = gradcli.tensor([1 + 2j, 3.0])
    wanted = repr(torch.tensor([1 + 2j, 3.0]).conj_physical())
    assert repr(gradcli.conj_physical(z)) == repr(z.conj_physical()) == wanted
