"""Derivatives by hand: `--claim NAME=EXPR`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.check import hand_claims
from gradcli.check.judging.findings import Finding, Options
from gradcli.check.judging.verdict import Verdict
from gradcli.check.replay.subject import of_program
from gradcli.errors import GradcliError, InputError, ProgramError, SpecError

from .subjects import program


def judged(
    text: str, given: list[str], *claimed: tuple[str, str], inline: bool = True, **options: Any
) -> list[Finding]:
    """What is found of claims about an expression."""
    spec = program(text, given, inline=inline)
    asked = Options(claims=claimed, **options)
    return of_program(spec, act=lambda found: hand_claims.judged(found, spec, asked, np.random.default_rng(0)))


def verdict(text: str, given: str, claim: str, **options: Any) -> Verdict:
    (found,) = judged(text, given.split(), ("x", claim), **options)
    return found.verdict


# -- verdicts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "given", "claim"),
    [
        ("x**2*sin(x)", "x=0.7", "2*x*sin(x) + x**2*cos(x)"),
        ("x**3", "x=[1,2]", "3*x**2"),
        ("(x*y).sum()", "x=[1,2] y=3", "y.expand(2)"),
        ("x*y", "x=[1,2] y=3", "y"),
        ("log(x)", "x=2", "1/x"),
        ("(x@w).sum()", "x=[[1.5,2,3],[4,5.5,6]] w=[[0.5,2],[3,4],[5,7]]", "w.sum(1).expand(2, 3)"),
        ("relu(x)", "x=[-1,2]", "(x > 0).double()"),
        ("abs(x)", "x=-2", "x.sign()"),
        ("tanh(x)", "x=0.3", "1 - torch.tanh(x)**2"),
        ("softmax(x, 0)[0]", "x=[0.2,-0.5]", "softmax(x, 0)[0] * (tensor([1.0, 0.0]).double() - softmax(x, 0))"),
        ("3*x", "x=2", "3"),
        ("(x*0).sum()", "x=[1,2]", "0"),
    ],
)
def test_a_right_formula_passes(text: str, given: str, claim: str) -> None:
    (found,) = judged(text, given.split(), ("x", claim))
    assert found.verdict in (Verdict.PASS, Verdict.PASS_ZERO), found
    assert found.notes[0] == f"CLAIM: {claim}"
    assert found.input == "x"


@pytest.mark.parametrize(
    ("text", "given", "claim"),
    [
        ("x**2*sin(x)", "x=0.7", "2*x*sin(x)"),
        ("x**2*sin(x)", "x=0.7", "-2*x*sin(x) - x**2*cos(x)"),
        ("x**3", "x=[1,2]", "3*x"),
        ("(x@w).sum()", "x=[[1.5,2],[4,5.5]] w=[[0.5,2],[3,4]]", "w.sum(0).expand(2, 2)"),
        ("log(x)", "x=2", "1/(x + 1e-3)"),
        ("(x*x).sum()", "x=[1,2,3]", "2*x*(tensor([1.0, 1.0, 0.0]))"),
    ],
)
def test_a_wrong_formula_is_wrong_here(text: str, given: str, claim: str) -> None:
    (found,) = judged(text, given.split(), ("x", claim))
    assert found.verdict is Verdict.WRONG
    assert not any(note.startswith("ELSEWHERE") for note in found.notes)
    assert found.worst is not None


@pytest.mark.parametrize(
    ("text", "given", "claim"),
    [
        ("x**3", "x=2", "6*x"),
        ("x**2", "x=2", "4"),
        ("exp(x)", "x=0", "1"),
        ("abs(x)", "x=2", "1"),
        ("relu(x)", "x=3", "1"),
        ("where(x > 1, x**2, x)", "x=2", "2*x"),
        ("sin(x)", "x=0", "1 - x"),
        ("x*y", "x=3 y=2", "2"),
    ],
)
def test_a_formula_that_is_right_at_the_point_only_does_not_pass(text: str, given: str, claim: str) -> None:
    (found,) = judged(text, given.split(), ("x", claim))
    assert found.verdict is Verdict.WRONG
    assert any(note.startswith("ELSEWHERE") for note in found.notes)
    assert found.notes[0] == f"CLAIM: {claim}"


def test_nothing_but_the_point_is_looked_at_when_no_samples_are_wanted() -> None:
    assert verdict("x**3", "x=2", "6*x", samples=0) is Verdict.PASS


def test_more_samples_see_more() -> None:
    # Wrong where x is small: four points see nothing of it, many do.
    claim = "where(x.abs() < 0.6, 2 * x + 1, 2 * x)"
    assert verdict("x**2", "x=1.0", claim, samples=60) is Verdict.WRONG


def test_at_a_kink_every_slope_between_is_right_and_none_outside() -> None:
    assert verdict("abs(x)", "x=0", "0.5", samples=0) is Verdict.KINK_OK
    assert verdict("abs(x)", "x=0", "1.5", samples=0) is Verdict.KINK_WRONG


def test_each_claim_has_a_finding() -> None:
    first, second = judged("x*y", ["x=2", "y=3"], ("x", "y"), ("y", "x + 1"))
    assert (first.input, first.verdict) == ("x", Verdict.PASS)
    assert (second.input, second.verdict) == ("y", Verdict.WRONG)


def test_the_backward_is_not_asked() -> None:
    text = """
        import torch
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return g * 7 * x
        x = torch.tensor([0.5, 2.0], requires_grad=True)
        scale = 2
        loss = (scale * Wrong.apply(x)).sum()
        loss.backward()
    """
    (right,) = judged(text, [], ("x", "3 * scale * x**2"), inline=False)
    assert right.verdict is Verdict.PASS
    assert right.output == "loss"
    (wrong,) = judged(text, [], ("x", "7 * scale * x"), inline=False)
    assert wrong.verdict is Verdict.WRONG


def test_a_claim_uses_what_the_program_computes_at_the_point_that_is_judged() -> None:
    text = "import torch\nx = torch.tensor(0.5, requires_grad=True)\ne = torch.exp(x)\nout = e * e\nout.backward()\n"
    (found,) = judged(text, [], ("x", "2 * e * e"), inline=False)
    assert found.verdict is Verdict.PASS


@pytest.mark.parametrize("computed", ["x * x.detach()", "x * x.item()", "x.data * x"])
def test_a_person_derives_what_the_program_computes_also_where_its_graph_does_not_show_it(computed: str) -> None:
    text = f"import torch\nx = torch.tensor(1.5, requires_grad=True)\nout = {computed}\nout.backward()\n"
    (right,) = judged(text, [], ("x", "2 * x"), inline=False)
    assert right.verdict is Verdict.PASS
    (wrong,) = judged(text, [], ("x", "x"), inline=False)
    assert wrong.verdict is Verdict.WRONG


def test_many_numbers_are_judged_along_directions_and_the_wrong_one_is_found() -> None:
    (right,) = judged("(x*x).sum()", ["x=randn(300)"], ("x", "2*x"))
    assert right.verdict is Verdict.PASS
    (wrong,) = judged("(x*x).sum()", ["x=randn(300)"], ("x", "2*x + (arange(300) == 7)*0.01"))
    assert wrong.verdict is Verdict.WRONG
    assert wrong.worst is not None
    assert wrong.worst.index == (7,)


# -- what cannot be read -----------------------------------------------------------------------


def refused(kind: type[GradcliError], text: str, given: str, *claim: str) -> tuple[str, str, str | None]:
    """What an error says, what it points at, and how it helps."""
    with pytest.raises(kind) as caught:
        judged(text, given.split(), (claim[0], claim[1]))
    error = caught.value
    span = error.span
    assert span is not None
    assert span.source.name == "--claim"
    return error.message, span.source.text[span.column : span.end_column], error.help


def test_an_input_that_there_is_not() -> None:
    message, place, help = refused(InputError, "width**3", "width=2", "widht", "3*width**2")
    assert message.endswith("depends on no input 'widht'")
    assert (place, help) == ("widht", "did you mean width?")
    assert refused(InputError, "x*y", "x=2 y=3", "z", "3")[2] == "inputs are x, y"


def test_a_name_that_there_is_not() -> None:
    message, place, _ = refused(ProgramError, "x**3", "x=2", "x", "3*q**2")
    assert (message, place) == ("NameError: name 'q' is not defined", "q")


def test_what_is_no_expression() -> None:
    assert refused(SpecError, "x**3", "x=2", "x", "3*x**")[0] == "invalid syntax"
    message, place, help = refused(InputError, "x**3", "x=2", "x", "=3")
    assert message == "a claim is NAME=EXPR: an input, and the derivative with respect to it"
    assert place == "x==3"
    assert help is not None
    assert "--claim" in help


def test_what_has_another_shape() -> None:
    message, place, _ = refused(InputError, "x**3", "x=[1,2]", "x", "torch.ones(3)")
    assert message == "the derivative with respect to x has the shape [3], x has [2]"
    assert place == "torch.ones(3)"


@pytest.mark.parametrize("claim", ["'3'", "[1, 2]", "None", "sin"])
def test_what_is_no_number(claim: str) -> None:
    message, place, _ = refused(InputError, "x**3", "x=[1,2]", "x", claim)
    assert message.startswith("the derivative with respect to x is no number and no tensor: ")
    assert place == claim


def test_one_output_at_a_time() -> None:
    with pytest.raises(InputError, match="say with --output of which"):
        judged("(x*2, x*3)", ["x=2"], ("x", "2"))


def test_a_program_that_writes_to_its_leaf_is_judged_at_one_point() -> None:
    text = """
        import torch
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        loss = (x * x).sum()
        loss.backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
    """
    (found,) = judged(text, [], ("x", "2 * x"), inline=False)
    assert found.verdict is Verdict.PASS
    assert any(note.startswith("ELSEWHERE: the claim was judged at the given point only") for note in found.notes)
