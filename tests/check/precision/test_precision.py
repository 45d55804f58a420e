"""What float32 loses of a gradient, and where."""

from __future__ import annotations

import textwrap

import pytest

from gradcli.check.judging.findings import Finding
from gradcli.check.judging.verdict import Verdict
from gradcli.check.precision import float32_loss
from gradcli.check.replay.subject import of_program
from gradcli.errors import Source
from gradcli.spec.input.named_inputs import bindings
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program


def judged(text: str, given: str = "", *, inline: bool = True) -> tuple[list[Finding], list[str]]:
    """What is found of a program in float32."""
    spec = Spec(Source("spec.py", textwrap.dedent(text)), inline, None, None)
    program = Program(spec, bindings=bindings(given.split()), dtype="float32")
    return of_program(program, act=float32_loss.judged)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("x**2*sin(x)", "x=0.7"),
        ("sin(x)", "x=1e5"),
        ("softmax(x, 0).log().sum()", "x=[1,2,3]"),
        ("log_softmax(x@w, -1).sum()", "x=randn(8,16) w=randn(16,32)"),
        ("logsumexp(x, 0)", "x=randn(1000)"),
        ("relu(x@w).sum()", "x=randn(64,64) w=randn(64,64)"),
        ("F.layer_norm(x, (10,)).pow(3).sum()", "x=randn(4,10)"),
        ("x.double().sin().float()", "x=1.3"),
        # What is lost here, the gradient does not feel.
        ("((x - x.mean())**2).mean()", "x=randn(1000)+10000"),
    ],
)
def test_rounding_that_is_no_more_than_it_must_be_passes(text: str, given: str) -> None:
    found, notes = judged(text, given)
    assert {x.verdict for x in found} == {Verdict.PASS}
    assert all(x.digits is not None and x.digits > 5.9 for x in found)
    assert notes == []


def test_each_gradient_says_how_many_digits_are_right() -> None:
    (x, w), _ = judged("(x@w).sum()", "x=randn(4,5) w=randn(5,3)")
    assert (x.input, w.input) == ("x", "w")
    assert x.digits is not None
    assert x.notes == [f"FLOAT32: {x.digits:.1f} of 7.2 digits of expr.2 with respect to x are right"]


def test_cancellation_is_found_where_it_happens() -> None:
    (found,), (note,) = judged("(1 - cos(x)) / x**2", "x=1e-3")
    assert found.verdict is Verdict.INACCURATE
    assert found.digits == 0
    assert note == "FLOAT32: 5.9 digits are lost in RsubBackward1 at line 1: cancellation"


def test_a_node_is_named_with_its_line() -> None:
    text = """
        import torch
        x = torch.tensor(1000.0, requires_grad=True)
        a = torch.sqrt(x * x + 1)
        b = torch.sqrt(x * x)
        out = a - b
        out.backward()
    """
    (found,), (note,) = judged(text, inline=False)
    assert found.verdict is Verdict.INACCURATE
    assert (found.output, found.input) == ("out", "x")
    assert "digits are lost in SubBackward0 at line 6: cancellation" in note


def test_a_loss_may_be_in_the_backward_alone() -> None:
    (found,), (note,) = judged("1 / x", "x=1e-20")
    assert found.verdict is Verdict.WRONG
    assert note.startswith("FLOAT32: all digits are lost in ")
    assert note.endswith("in the backward of ReciprocalBackward0 at line 1: overflow")


def test_what_is_too_small_for_float32_is_lost() -> None:
    (found,), (note,) = judged("x*1e-30*1e-30", "x=3")
    assert found.verdict is Verdict.INACCURATE
    assert note == "FLOAT32: 7.2 digits are lost in MulBackward0 at line 1: underflow"


def test_what_is_read_of_large_arguments() -> None:
    (found,), (note,) = judged("sin(1000*x)", "x=1.2345")
    assert found.verdict is Verdict.PASS
    assert found.digits is not None
    assert 4.5 < found.digits < 5.5
    assert note.endswith("SinBackward0 at line 1: its result hangs on the last digits of its operands")


@pytest.mark.parametrize(
    ("text", "given", "why"),
    [
        ("exp(x)", "x=100", "all digits are lost in ExpBackward0 at line 1: overflow"),
        ("exp(x) / exp(x)", "x=100", "all digits are lost in ExpBackward0 at line 1: overflow"),
        ("x**20", "x=1000", "all digits are lost in PowBackward0 at line 1: overflow"),
    ],
)
def test_what_float32_cannot_hold_is_wrong(text: str, given: str, why: str) -> None:
    (found,), (note,) = judged(text, given)
    assert found.verdict is Verdict.WRONG
    assert found.wrong_entries == 1
    assert found.digits == 0
    assert note == f"FLOAT32: {why}"


def test_a_gradient_that_is_zero() -> None:
    (found,), notes = judged("(x*0).sum()", "x=[1,2]")
    assert found.verdict is Verdict.PASS_ZERO
    assert notes == []


def test_what_a_program_casts_to_float32_is_float64_in_the_truth() -> None:
    (found,), _ = judged("x.double().sin().to(torch.float32).exp()", "x=1.3")
    assert found.verdict is Verdict.PASS
    assert found.digits is not None
    assert found.digits > 6


def test_a_function_of_the_programs_own_is_evaluated_again_in_float64() -> None:
    text = """
        import torch
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return g * 2 * x
        x = torch.tensor([0.1, 0.2], requires_grad=True)
        loss = Square.apply(x).sum()
        loss.backward()
    """
    (found,), notes = judged(text, inline=False)
    assert found.verdict is Verdict.PASS
    assert notes == []


def test_a_table_shows_the_entries_that_are_off_by_most() -> None:
    (found,), _ = judged("((1 - cos(x)) / x**2).sum()", "x=[1e-3,1,2e-3]")
    assert found.worst is not None
    assert found.worst.index in ((0,), (2,))
    judged_there = found.worst.judged
    assert abs(judged_there.claimed - judged_there.estimate) > 1e-3
    assert judged_there.bar > 0
