"""Facts that a report has of every finding: the closest estimate of a pass, the place of a path, float32 once."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Finding, Options, of_another_point, told_of_both_points
from gradcli.check.judging.verdict import Verdict
from gradcli.errors import Source
from gradcli.spec.input.named_inputs import bindings
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

from .subjects import program


def checked(text: str, *given: str, **how: Any) -> Checked:
    found = check_program(program(text, given, inline=True), Options(**how))
    assert found.failure is None
    return found


def test_a_pass_has_its_estimate_and_bar() -> None:
    (found,) = checked("(x**2).sum()", "x=[3.0, 4.0]").findings
    assert found.worst is not None
    assert (found.verdict, found.worst.judged.claimed) == (Verdict.PASS, 2 * found.worst.at)
    assert found.worst.judged.estimate == pytest.approx(found.worst.judged.claimed, rel=1e-14)
    assert 0 < found.worst.judged.bar < 1e-12
    assert found.digits == found.worst.judged.digits


def test_a_pass_of_many_numbers_has_that_of_a_direction() -> None:
    (found,) = checked("(x**2).sum()", "x=randn(30, 30)").findings
    assert found.worst is not None
    assert (found.worst.along, found.worst.index) == (True, ())
    assert found.digits == found.worst.judged.digits


def test_a_pass_of_zero_has_one_too() -> None:
    (found,) = checked("relu(x).sum()", "x=[-1.0, -2.0]").findings
    assert found.worst is not None
    assert (found.verdict, found.worst.judged.claimed, found.worst.judged.estimate) == (Verdict.PASS_ZERO, 0.0, 0.0)


def test_a_path_around_the_graph_has_its_node_and_line() -> None:
    found, _ = checked("y = x * x.detach()\nout = (y * w).sum()", "x=[1.0, 2.0]", "w=3.0").findings
    assert found.node is not None
    assert found.node.source is not None
    assert (found.verdict, found.node.id, found.node.name, found.node.source.line) == (
        Verdict.HIDDEN_PATH, "y", "detach()", 1,
    )  # fmt: skip


def test_numbers_read_outside_have_a_line_and_no_node() -> None:
    *_, found = checked("out = x * w.item()", "x=2.0", "w=3.0", wrt=("w",)).findings
    assert found.node is not None
    assert (found.verdict, found.node.name) == (Verdict.HIDDEN_PATH, ".item()")


def test_float32_counts_each_gradient_once() -> None:
    spec = Spec(Source("spec.py", "((a - 1e4) ** 2 * b).sum()"), True, None, None)
    given = bindings(["a=[1.0, 1e4, 3.0]", "b=[2.0, 0.3, 0.7]"])
    found = check_program(Program(spec, bindings=given, dtype="float32"), Options(float32=True))
    a, b = found.findings
    assert a.digits is not None
    assert a.digits < 8
    assert b.notes[0].startswith("FLOAT32: ")
    assert "with respect to b are right" in b.notes[0]


def test_a_claim_says_that_no_other_order_was_judged() -> None:
    found = checked("x**2", "x=3.0", order=2, claims=(("x", "2*x"),))
    assert "ORDER: a claim is about the first derivative: no other was judged" in found.notes


@pytest.mark.parametrize(
    "draw",
    [
        "torch._standard_gamma(a)",
        "torch.distributions.Beta(a, 2.0).rsample()",
        "Drawn.apply(a)",
    ],
)
def test_a_gradient_that_nothing_measures_has_no_verdict(draw: str) -> None:
    text = f"""
import torch
class Drawn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        x = torch._standard_gamma(a)
        ctx.save_for_backward(a, x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * torch._standard_gamma_grad(*ctx.saved_tensors)
a = torch.tensor([1.0, 5.0], requires_grad=True)
loss = ({draw} * a).sum()
"""
    found = check_program(program(text), Options())
    assert not found.findings
    assert found.failure is not None
    assert "no run of the program does" in found.failure.message
    assert found.failure.span is not None
    assert found.failure.span.line == 13


def test_what_is_wrong_elsewhere_is_not_called_right_where_nothing_is_known() -> None:
    def found(verdict: Verdict) -> Finding:
        return Finding("y", "x", 1, verdict, [of_another_point("wrong at x = 2")])

    for verdict, words in ((Verdict.PASS, "right"), (Verdict.UNRESOLVED, "not known")):
        (told,) = told_of_both_points([found(verdict)], [found(Verdict.WRONG)])
        assert told.notes == [f"ELSEWHERE: {words} at the given point, wrong at x = 2"]
