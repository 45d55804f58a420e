"""Matrices that an op takes to be symmetric."""

from __future__ import annotations

import pytest

from gradcli.check.check import check_program
from gradcli.check.findings import Checked, Options
from gradcli.check.verdict import Verdict

from .subjects import program

MATRIX = "[[4., 1., .5], [1., 3., .2], [.5, .2, 2.]]"
RIGHT = [
    "torch.linalg.cholesky(A)",
    "torch.linalg.cholesky(A, upper=True).sum()",
    "torch.linalg.eigvalsh(A)",
    "torch.linalg.eigh(A)[1].abs().sum()",
    "2 * torch.linalg.cholesky(A).diagonal().log().sum()",
    "torch.cholesky_solve(torch.ones(3, 1, dtype=A.dtype), torch.linalg.cholesky(A))",
    "torch.linalg.cholesky(A[:2, :2]).sum() + (A * torch.arange(9., dtype=A.dtype).reshape(3, 3)).sum()",
    "torch.linalg.cholesky((A + A.T) / 2).sum()",
    "torch.linalg.cholesky(A @ A.T).sum()",
    "torch.linalg.cholesky(Scaled.apply(A, 1.0)).sum()",
]
WRONG = [
    "torch.linalg.cholesky(Scaled.apply(A, 1.001)).sum()",
    "torch.linalg.eigvalsh(Scaled.apply(A, 0.5))[0]",
    "torch.linalg.cholesky(A).sum() + (Scaled.apply(A, 2.0) ** 2).sum()",
]
# One triangle is read of what is not symmetric: there the gradient is none.
UNLIKE = ["torch.linalg.cholesky(torch.tril(A)).sum()"]

TEXT = """
import torch
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return g * ctx.by, None
A = torch.tensor({matrix}, requires_grad=True)
out = {code}
"""


def checked(code: str, order: int = 1, matrix: str = MATRIX) -> Checked:
    found = check_program(program(TEXT.format(matrix=matrix, code=code)), Options(order=order))
    assert found.failure is None
    return found


@pytest.mark.parametrize("code", RIGHT)
def test_gradients_of_symmetric_matrices_are_right(code: str) -> None:
    found = checked(code)
    assert all(finding.passes(Options()) for finding in found.findings)
    assert any(note.startswith("SYMMETRIC: ") for note in found.notes)


@pytest.mark.parametrize("code", RIGHT[3:5])
def test_their_second_derivatives_are_right(code: str) -> None:
    found = checked(code, 2)
    assert [finding.order for finding in found.findings] == [1, 2]
    assert all(finding.passes(Options()) for finding in found.findings)


def test_stacks_and_matrices_that_are_symmetric_but_for_rounding() -> None:
    for matrix in ("[[[4., 1.], [1., 3.]], [[2., .5], [.5, 1.]]]", "[[4., 1.00000000000001], [1., 3.]]"):
        assert all(f.passes(Options()) for f in checked("torch.linalg.cholesky(A).sum()", matrix=matrix).findings)


@pytest.mark.parametrize("code", WRONG)
def test_wrong_gradients_of_them_are_found(code: str) -> None:
    assert Verdict.WRONG in {finding.verdict for finding in checked(code).findings}


@pytest.mark.parametrize("code", UNLIKE)
def test_what_is_not_symmetric_is_not_taken_to_be(code: str) -> None:
    assert not all(finding.passes(Options()) for finding in checked(code).findings)


def test_nothing_is_said_where_no_op_takes_a_matrix_to_be_symmetric() -> None:
    assert not any(note.startswith("SYMMETRIC: ") for note in checked("torch.linalg.inv(A).sum()").notes)
