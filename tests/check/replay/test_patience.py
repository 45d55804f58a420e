"""Loops that come to an end where the program is, and do so nowhere else."""

from __future__ import annotations

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import Verdict
from gradcli.verdicts import NoteKind
from tests.check.subjects import own, program
from tests.rings import long

# Of a negative number there is no root to find; and of a large gradient no share that is exact to 1e-12.
ROOT = """
import torch
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.ones_like(x)
        while (y * y - x).abs().max() > 1e-12:
            y = (y + x / y) / 2
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        v = g
        while (2 * y * v - g).abs().max() > 1e-12:
            v = v - 0.9 * (v - g / (2 * y))
        return FACTOR * v
x = torch.tensor([2.0, 0.5], dtype=torch.float64, requires_grad=True)
(Root.apply(x) * torch.tensor([1.0, -3.0], dtype=torch.float64)).sum()
"""
# The program itself looks for a root, and goes on with a Function that is asked for another side of a choice.
OUTSIDE = own("return x * x", "return g * FACTOR * 2 * x", """
x = torch.tensor([2.0, 0.5], dtype=torch.float64, requires_grad=True)
y = x / x.detach()
while (y * y - x).abs().max() > 1e-12:
    y = (y + x / y) / 2
loss = Own.apply(y).sum()
loss * 2 if x[0] > 5 else loss
""")  # fmt: skip


@long("it takes 5 s")
@pytest.mark.parametrize("factor", ["1", "1.001"])
@pytest.mark.parametrize("text", [ROOT, OUTSIDE], ids=["in a Function", "in the program"])
def test_a_loop_that_does_not_end_elsewhere_keeps_nothing_from_being_judged(text: str, factor: str) -> None:
    given = program(text.replace("FACTOR", factor))
    # What does not end would use up its steps, soon.
    given.limits = given.limits._replace(steps=1_000_000)
    checked = check_program(given, Options())
    assert checked.failure is None
    (found,) = checked.findings
    # What a loop leaves over may be more than the error bars.
    assert found.verdict in ((Verdict.PASS, Verdict.INACCURATE) if factor == "1" else (Verdict.WRONG,))


LAMBERT = """
import torch
class Lambert(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        w = torch.log1p(x)
        for _ in range(50):
            e = torch.exp(w)
            step = (w * e - x) / (e * (w + 1))
            w = w - step
            if not (step.abs() > 1e-15 * w.abs()).any():
                break
        ctx.save_for_backward(x, w)
        return w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w / (x * (FACTOR + w))
x = torch.tensor([0.5, 1.5, 4.0], dtype=torch.float64, requires_grad=True)
out = Lambert.apply(x).prod()
"""


@pytest.mark.parametrize(("factor", "verdict"), [("1", Verdict.PASS), ("1.001", Verdict.WRONG)])
def test_where_a_solver_runs_out_of_rounds_nothing_is_blamed(factor: str, verdict: Verdict) -> None:
    # Below -1/e there is no such number.
    checked = check_program(program(LAMBERT.replace("FACTOR", factor)), Options())
    assert [finding.verdict for finding in checked.findings] == [verdict]
    if verdict is Verdict.PASS:
        assert NoteKind.ENDLESS in [note.kind for note in checked.notes]


def test_a_search_that_finds_nothing_elsewhere_is_looked_at() -> None:
    found = own("""total = 0
        for v in x:
            if v > 1:
                break
            total = total + v * v
        return total""",
        "(x,) = ctx.saved_tensors\n        return g * 2 * x * torch.tensor([1.0, 0.0, 0.0], dtype=x.dtype)",
        "x = torch.tensor([0.3, 1.7, 0.2], dtype=torch.float64, requires_grad=True)\nOwn.apply(x).sin()")  # fmt: skip
    found = found.replace("total = 0\n", "ctx.save_for_backward(x)\n        total = 0\n")
    checked = check_program(program(found), Options())
    assert {finding.verdict for finding in checked.findings} == {Verdict.PASS, Verdict.WRONG}
