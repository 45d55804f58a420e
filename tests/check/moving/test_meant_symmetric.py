"""Functions that are meant for symmetric matrices, as a solver by conjugate gradients is, and say so nowhere."""

from __future__ import annotations

import pytest

from gradcli.check import budget
from gradcli.check.blaming import blamer
from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.check.moving import meant_symmetric
from gradcli.verdicts import NoteKind, Verdict
from tests.check.subjects import program
from tests.rings import long

SOLVER = """
import torch
class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, A, b):
        x, r = torch.zeros_like(b), b.clone()
        p, rs = r.clone(), r @ r
        for _ in range(20):
            moved = A @ p
            x = x + rs / (p @ moved) * p
            r = r - rs / (p @ moved) * moved
            new = r @ r
            if new.sqrt() < {near}:
                break
            p, rs = r + new / rs * p, new
        ctx.save_for_backward(A, x)
        return x
    @staticmethod
    def backward(ctx, g):
        A, x = ctx.saved_tensors
        gb = torch.linalg.solve(A, g)
        gA = -torch.outer(gb, x)
        return {gradient}, gb
A = torch.tensor([[5.0, 0.3, -0.7], [0.3, 4.0, 0.9], [-0.7, 0.9, 3.0]], requires_grad=True)
b = torch.tensor([0.3, -1.2, 0.8], requires_grad=True)
out = (Solve.apply(A, b) * torch.tensor([1.0, -2.0, 0.7])).sum()
"""


TRACE_OF_INVERSE = """
import torch
class TraceOfInverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, A):
        Z = torch.cholesky_inverse(torch.linalg.cholesky(A))
        ctx.save_for_backward(Z)
        return Z.trace()
    @staticmethod
    def backward(ctx, g):
        Z, = ctx.saved_tensors
        return -2 * g * Z @ Z
A = torch.tensor([[3.0, 0.3], [{corner}, 2.0]], requires_grad=True)
out = TraceOfInverse.apply(A @ A.T)
"""


@pytest.mark.parametrize(
    ("corner", "verdict"),
    # It may be meant for symmetric matrices, where it is given one.
    [(0.3, Verdict.UNRESOLVED), (0.1, Verdict.WRONG)],
)
def test_what_may_be_taken_back_is_no_verdict_where_the_time_ends_before(
    corner: float, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    def over(*given: object) -> None:
        raise budget.OutOfTime("over")

    monkeypatch.setattr(meant_symmetric, "told_where_meant", over)
    monkeypatch.setattr(blamer.Blamer, "blame", over)
    text = TRACE_OF_INVERSE.format(corner=corner)
    with budget.within(budget.Budget(60, lambda: None)):
        checked = check_program(program(text), Options())
    (finding,) = checked.findings
    assert (finding.verdict, checked.failure) == (verdict, None)
    # What is wrong beyond doubt is told with the only Function on the way.
    named = None if finding.node is None else (finding.node.name, finding.node.wrt, finding.node.certain)
    assert named == (("TraceOfInverse.backward", "A", False) if verdict is Verdict.WRONG else None)


@long("a solver at many points")
@pytest.mark.parametrize(("near", "gradient"), [("1e-12", "gA"), ("1e-6", "(gA + gA.t()) / 2")])
def test_a_solver_for_symmetric_matrices_is_right_for_these(near: str, gradient: str) -> None:
    # Where that takes longer, it is left open.
    with budget.within(budget.Budget(10, lambda: None)):
        checked = check_program(program(SOLVER.format(near=near, gradient=gradient)), Options())
    assert checked.failure is None
    assert not any(f.fails(Options()) for f in checked.findings)
    notes = [note for f in checked.findings for note in f.notes] + checked.notes
    assert any(note.kind in (NoteKind.SYMMETRIC, NoteKind.OUT_OF_REACH, NoteKind.BUDGET) for note in notes)


@long("a solver at many points")
@pytest.mark.parametrize("gradient", ["1.01 * gA", "gA.triu()"])
def test_a_wrong_gradient_of_it_is_wrong(gradient: str) -> None:
    checked = check_program(program(SOLVER.format(near="1e-12", gradient=gradient)), Options())
    assert any(f.fails(Options()) for f in checked.findings)


@long("a solver at many points")
def test_everywhere_asks_for_more() -> None:
    # At seed 0 the jumps of the solver are looked at for ten minutes before it is said.
    options = Options(everywhere=True, seed=1)
    checked = check_program(program(SOLVER.format(near="1e-12", gradient="gA")), options)
    assert any(f.fails(options) for f in checked.findings)


@pytest.mark.parametrize("gradient", ["torch.outer(b, g)", "(torch.outer(g, b) + torch.outer(b, g)) / 2"])
def test_what_is_only_transposed_stays_wrong_at_a_symmetric_matrix(gradient: str) -> None:
    text = f"""
        import torch
        class Times(torch.autograd.Function):
            @staticmethod
            def forward(ctx, A, b):
                ctx.save_for_backward(A, b)
                return A @ b
            @staticmethod
            def backward(ctx, g):
                A, b = ctx.saved_tensors
                return {gradient}, A.t() @ g
        A = torch.tensor([[5.0, 0.3], [0.3, 4.0]], requires_grad=True)
        b = torch.tensor([0.3, -1.2], requires_grad=True)
        out = (Times.apply(A, b) * torch.tensor([1.0, -2.0])).sum()
        """
    checked = check_program(program(text), Options())
    assert any(f.fails(Options()) for f in checked.findings)


def test_a_gradient_that_is_transposed_in_part_stays_wrong_at_a_symmetric_matrix() -> None:
    # Its sines are broadcast along the other axis: wrong along no direction that keeps the matrix symmetric.
    text = """
        import torch
        class Sines(torch.autograd.Function):
            @staticmethod
            def forward(ctx, A):
                ctx.save_for_backward(A)
                return torch.sin(A).sum(1)
            @staticmethod
            def backward(ctx, g):
                A, = ctx.saved_tensors
                return torch.cos(A) * g
        A = torch.tensor([[8.092, 5.043], [5.043, 9.808]], requires_grad=True)
        out = (Sines.apply(A) * torch.tensor([0.236, 0.821])).sum()
        """
    checked = check_program(program(text), Options())
    assert any(f.fails(Options()) for f in checked.findings)
