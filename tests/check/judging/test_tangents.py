"""The third witness: a Function's own tangents, beside its backward and beside differences."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.spec.input.source import Spec, typed
from gradcli.spec.program import Program
from gradcli.verdicts import Verdict

FUNCTION = """\
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return {forward}
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * {slope}
    @staticmethod
    def jvp(ctx, t):
        x, = ctx.saved_tensors
        return {tangent}
x = torch.tensor({at}, requires_grad=True)
y = F.apply({given}).sum()
"""


def checked(text: str, **options: Any) -> Checked:
    return check_program(Program(Spec(typed("spec.py", text), False, None, None)), Options(**options))


def verdicts(forward: str, slope: str, tangent: str, at: str = "[0.5, -1.2]", given: str = "x") -> list[Verdict]:
    text = FUNCTION.format(forward=forward, slope=slope, tangent=tangent, at=at, given=given)
    return [finding.verdict for finding in checked(text).findings if finding.verdict is not Verdict.PASS]


@pytest.mark.parametrize("tangent", ["t * 2 * x ** 2", "-3 * t * x ** 2", "t * 3 * x ** 2 * 1.001", "t * 0"])
def test_a_wrong_jvp_is_found(tangent: str) -> None:
    assert verdicts("x ** 3", "3 * x ** 2", tangent) == [Verdict.TANGENT]


@pytest.mark.parametrize(
    ("tangent", "told"),
    [
        ("t * 3 * x", "with `x ** 2` in place of `x` at line 15 it would be right"),
        ("3 * x ** 2 / t", "with `3 * x ** 2 * t` in place of `3 * x ** 2 / t` at line 15 it would be right"),
        ("None", None),
    ],
)
def test_where_a_jvp_is_wrong_is_told(tangent: str, told: str | None) -> None:
    (finding,) = [x for x in checked(FUNCTION.format(
        forward="x ** 3", slope="3 * x ** 2", tangent=tangent, at="[0.5, -1.2]", given="x"
    )).findings if x.verdict is Verdict.TANGENT]  # fmt: skip
    assert finding.node is not None
    assert finding.node.source is not None
    assert (finding.node.source.line, finding.node.wrt) == (15, "x")
    assert told is None or f"LOCATED: {told}" in finding.notes


def test_a_right_jvp_is_right() -> None:
    assert verdicts("x ** 3", "3 * x ** 2", "t * 3 * x ** 2") == []


@pytest.mark.parametrize("tangent", ["t * (x > 0)", "t * (x >= 0)", "t * ((x > 0) + 0.5 * (x == 0))"])
def test_any_tangent_between_the_slopes_of_a_kink_is_right(tangent: str) -> None:
    assert Verdict.TANGENT not in verdicts("x.clamp(min=0)", "(x > 0)", tangent, "[0.0, -1.2]")


def test_a_jvp_is_asked_only_along_directions_that_the_program_moves_it_in() -> None:
    # The two entries that it is given are one number.
    tangent = "t[0] * torch.stack([3 * x[0] ** 2, 3 * x[0] ** 2])"
    assert verdicts("x ** 3", "3 * x ** 2", tangent, "0.7", "torch.stack([x, x])") == []


def test_a_jvp_that_stops_is_told() -> None:
    text = FUNCTION.format(forward="x ** 3", slope="3 * x ** 2", tangent="t @ t.T @ x[5]", at="[0.5]", given="x")
    found = checked(text)
    assert [finding.verdict for finding in found.findings] == [Verdict.PASS]
    assert [str(note) for note in found.notes if note.startswith("TANGENT: a jvp stops")]
