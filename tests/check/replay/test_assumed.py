"""Matrices that an op takes to be symmetric, and log-probabilities that it takes to be normalised."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.check.judging.verdict import Verdict
from gradcli.check.replay.assumed_by_program import along, keep
from gradcli.check.replay.assumptions import PREMISES
from tests.rings import long, sampled

from ..subjects import program

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

# A gradient that can be made wrong by a factor.
SCALED = """
import torch
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return g * ctx.by, None
"""
TEXT = SCALED + """\
A = torch.tensor({matrix}, requires_grad=True)
out = {code}
"""


def checked(code: str, order: int = 1, matrix: str = MATRIX) -> Checked:
    found = check_program(program(TEXT.format(matrix=matrix, code=code)), Options(order=order))
    assert found.failure is None
    return found


@sampled(4)
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


# -- log-probabilities -----------------------------------------------------------------------------

HEARD = SCALED + """\
import torch.nn.functional as F
def loss(logs):
    return F.ctc_loss(logs, torch.tensor([[1, 2], [3, 3]]), (5, 4), (2, 2))
x = torch.sin(torch.arange(40.)).reshape(5, 2, 4)
"""
SCORES = HEARD + "x.requires_grad_()\n"
LOGS = HEARD + "x = F.log_softmax(x, 2).detach().requires_grad_()\n"


def heard(text: str) -> Checked:
    found = check_program(program(text), Options())
    assert found.failure is None
    return found


@pytest.mark.parametrize(
    "text",
    [
        LOGS + "out = loss(x)",
        LOGS + "out = loss(Scaled.apply(x, 1.0)) + (x ** 2).sum()",
        LOGS + "out = F.ctc_loss(x[:, 0], torch.tensor([1, 2]), torch.tensor(5), torch.tensor(2))",
        LOGS + "out = loss(x.transpose(0, 1).clone().transpose(0, 1))",
    ],
)
def test_gradients_of_log_probabilities_are_right(text: str) -> None:
    found = heard(text)
    assert all(finding.passes(Options()) for finding in found.findings)
    assert [note.split(":")[0] for note in found.notes] == ["NORMALISED"]


def test_gradients_of_scores_are_right_without_a_note() -> None:
    found = heard(SCORES + "out = loss(F.log_softmax(x, 2))")
    assert all(finding.passes(Options()) for finding in found.findings)
    assert found.notes == []


@sampled(4)
@pytest.mark.parametrize(
    "text",
    [
        SCORES + "out = loss(F.log_softmax(Scaled.apply(x, 1.001), 2))",
        LOGS + "out = loss(Scaled.apply(x, 1.001))",
        LOGS + "out = loss(x) + Scaled.apply(x.exp(), 2.0)[0].sum()",
    ],
)
def test_wrong_gradients_behind_log_probabilities_are_found(text: str) -> None:
    found = heard(text)
    assert Verdict.WRONG in {finding.verdict for finding in found.findings}
    assert {f.node.name for f in found.findings if f.node is not None} == {"Scaled.backward"}


@long("a density at many points")
def test_log_probabilities_that_are_not_normalised_have_no_derivative() -> None:
    found = heard(SCORES + "out = loss(x)")
    (finding,) = found.findings
    assert finding.verdict is Verdict.WRONG
    assert finding.node is not None
    assert finding.node.name == "CtcLossBackward0"
    (note,) = found.notes
    assert note.startswith("NORMALISED: CtcLossBackward0 ")
    assert "they are not" in note


def test_a_program_that_makes_log_probabilities_otherwise_is_not_run_again() -> None:
    found = heard(HEARD + "x = F.softmax(x, 2).detach().requires_grad_()\nout = loss(x.log())")
    assert all(finding.passes(Options()) for finding in found.findings)
    assert [note.split(":")[0] for note in found.notes] == ["NOT_RERUN"]


def test_what_is_not_symmetric_is_told() -> None:
    assert any("it is not: the gradient" in note for note in checked(UNLIKE[0]).notes)


# -- what is kept ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["symmetric", "normalised", "padded"])
def test_what_moves_stays_what_it_was(name: str) -> None:
    random = np.random.default_rng(0)
    a = random.standard_normal((2, 3, 3))
    at = a + a.swapaxes(1, 2) if name == "symmetric" else a - np.log(np.exp(a).sum(-1, keepdims=True))
    at = at[0] if name == "padded" else at
    given = {"padding_idx": 1, "indices": SimpleNamespace(array=np.array([0, 1]))}
    premise = PREMISES[name](at, given)
    assert premise is not None
    move = random.standard_normal(at.shape)
    (there,) = keep([premise], [at], [at + 1e-3 * move])
    assert premise.holds(at)
    assert premise.holds(there)
    assert not premise.holds(at + move)
    assert np.array_equal(premise.kept(at, at), at)
    (direction,) = along([premise], [at], [move])
    assert np.allclose(there, at + 1e-3 * direction, rtol=0, atol=1e-5)


# -- Cholesky factors -----------------------------------------------------------------------------

LOWER = """
import torch
x = torch.tensor([[1.5, 0.0, 0.0], [0.3, -1.2, 0.0], [-0.4, 0.6, 1.1]], dtype=torch.float64, requires_grad=True)
b = torch.tensor([[1.0], [2.0], [0.5]], dtype=torch.float64)
"""
FACTORED = ["torch.cholesky_inverse(x)", "torch.cholesky_solve(b, x)"]
TURNED = ["torch.cholesky_inverse(x.T, upper=True)", "torch.cholesky_solve(b, x.mT, upper=True)"]
STACKED = ["torch.cholesky_inverse(torch.stack([x, 2 * x]))", "torch.cholesky_solve(b, torch.stack([x, x]))"]


@pytest.mark.parametrize("call", FACTORED + TURNED)
def test_gradients_of_factors_are_those_of_their_products(call: str) -> None:
    found = check_program(program(LOWER + f"out = {call}"), Options(order=2))
    assert found.failure is None
    assert [finding for finding in found.findings if not finding.passes(Options())] == []
    assert [note.split(":")[0] for note in found.notes] == ["TRIANGULAR"]


@pytest.mark.parametrize("call", STACKED)
def test_gradients_of_several_factors_are_right(call: str) -> None:
    found = heard(LOWER + f"out = {call}")
    assert [finding for finding in found.findings if not finding.passes(Options())] == []


@pytest.mark.parametrize("call", FACTORED)
def test_what_is_no_factor_has_no_derivative(call: str) -> None:
    found = heard(LOWER + f"out = {call.replace('x', '(x + 0.1)')}")
    (finding,) = found.findings
    assert finding.verdict is Verdict.WRONG
    (note,) = found.notes
    assert note.startswith("TRIANGULAR: Cholesky")
    assert "it is not" in note


# A Function whose backward is that of the op in its forward, and the same off by a factor.
AROUND = """
import torch
def call(A):
    return {call}
class Around(torch.autograd.Function):
    @staticmethod
    def forward(ctx, A):
        ctx.save_for_backward(A)
        return call(A)
    @staticmethod
    def backward(ctx, g):
        A = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            out = call(A)
        return {by} * torch.autograd.grad(out, A, g)[0]
A = torch.tensor({matrix}, dtype=torch.float64).requires_grad_()
out = Around.apply(A)
total = (out * torch.arange(1., 1. + out.numel(), dtype=torch.float64).reshape(out.shape)).sum()
"""
FACTOR = "[[2., 0., 0.], [.5, 1.5, 0.], [-.3, .4, 1.2]]"
AROUND_THEM = [
    ("torch.cholesky_inverse(A)", FACTOR),
    ("torch.cholesky_solve(torch.ones(3, 1, dtype=A.dtype), A)", FACTOR),
    (
        "torch.nn.functional.ctc_loss(A[:, None], torch.tensor([[1]]), (3,), (1,))",
        "[[-.6931471805599453] * 2] * 2 + [[0., -800.]]",
    ),
]


@pytest.mark.parametrize(("call", "matrix"), AROUND_THEM)
def test_a_function_around_an_op_takes_its_argument_to_be_the_same(call: str, matrix: str) -> None:
    right, wrong = (
        check_program(program(AROUND.format(call=call, matrix=matrix, by=by)), Options()) for by in (1, 1.001)
    )
    assert [finding.verdict for finding in right.findings] == [Verdict.PASS]
    assert [finding.verdict for finding in wrong.findings] == [Verdict.WRONG]
