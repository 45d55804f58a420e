"""Mistakes that a check is blind to where it looks at one gradient, in one layout, at one point only."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli as torch
from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Finding, Options
from gradcli.check.judging.verdict import Verdict

from ..subjects import own, program

VECTOR = "x = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64, requires_grad=True)\nout = Own.apply(x)\n"


def checked(forward: str, backward: str, rest: str = VECTOR, order: int = 1) -> Checked:
    found = check_program(program(own(forward, backward, rest)), Options(order=order))
    assert found.failure is None
    return found


def gravest(found: Checked) -> Finding:
    (finding,) = [x for x in found.findings if not x.passes(Options(strict=True))]
    return finding


@pytest.mark.parametrize(
    ("forward", "backward", "note"),
    [
        ("return x * 1.1", "return (g.float() * 1.1).double()", "DIGITS: a cast to float32, at line 11"),
        ("return x + 1", "return g.float().double()", "DIGITS: a cast to float32, at line 11"),
        ("return x**3", "return (3 * x * x * g).half().double()", "DIGITS: a cast to float16, at line 11"),
        ("return x**3", "return (3 * x * x * g).half().to(g.dtype)", "DIGITS: a cast to float16, at line 11"),
        (
            "return torch.pi * x",
            "return g * 3.14159265",
            "DIGITS: the constant 3.14159265, which is pi to 9 digits, at line 11",
        ),
        ("return x**2", "return 2 * x * g * (1 + 3e-11)", None),
        # In a text, as an old type, and in the forward, for the backward.
        (
            "return x * 1.1",
            "return torch.from_numpy((g * 1.1).numpy().astype('float32')).double()",
            "DIGITS: a cast to float32, at line 11",
        ),
        ("return x + 1", "return g.type(torch.FloatTensor).double()", "DIGITS: a cast to float32, at line 11"),
        (
            "ctx.y = (3 * x * x).float().double(); return x**3",
            "return g * ctx.y",
            "DIGITS: a cast to float32, at line 7",
        ),
    ],
)
def test_lost_digits_are_told(forward: str, backward: str, note: str | None) -> None:
    finding = gravest(checked(forward, backward))
    assert (finding.verdict, finding.fails(Options())) == (Verdict.INACCURATE, False)
    assert note is None or note in finding.notes


def test_lost_digits_behind_a_branch_are_told() -> None:
    forward = "return x**2 if x.sum() > 9 else x**3"
    finding = gravest(checked(forward, "return (2 * x * g).float().double() if x.sum() > 9 else 3 * x**2 * g"))
    assert (finding.verdict, finding.fails(Options())) == (Verdict.INACCURATE, False)
    assert any(note.startswith("ELSEWHERE: right at the given point, inaccurate at x") for note in finding.notes)


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("return torch.pi * x", "return g * 3.141592653589793"),
        ("return x * 3.1416", "return g * 3.1416"),
        ("return x**3", "return 3 * x * x * g"),
        ("return torch.erf(x)", "return g * 1.1283791670955126 * torch.exp(-x * x)"),
    ],
)
def test_what_has_all_its_digits(forward: str, backward: str) -> None:
    assert [x.verdict for x in checked(forward, backward).findings] == [Verdict.PASS]


DROPOUT = "m = (torch.rand(3) > 0.5).double()\n        ctx.save_for_backward(m)\n        return x * m * 2"


def test_dropout_without_its_scale() -> None:
    assert gravest(checked(DROPOUT, "return g * x")).verdict is Verdict.WRONG
    assert [x.verdict for x in checked(DROPOUT, "return g * x * 2").findings] == [Verdict.PASS]


MATRIX = "x = torch.tensor([[1.0, 0.2], [0.1, 2.0]], dtype=torch.float64, requires_grad=True)\nout = Own.apply(x)\n"


def test_a_sign_that_is_wrong_where_a_determinant_is_negative() -> None:
    backward = "v = torch.linalg.inv(x).t()\n        return g * v * (1 if torch.linalg.slogdet(x)[0] > 0 else -1)"
    finding = gravest(checked("return torch.linalg.slogdet(x)[1]", backward, MATRIX))
    assert finding.verdict is Verdict.WRONG
    right = checked("return torch.linalg.slogdet(x)[1]", "return g * torch.linalg.inv(x).t()", MATRIX)
    assert [x.verdict for x in right.findings] == [Verdict.PASS]


@pytest.mark.parametrize(("hook", "right"), [(lambda g: g + 1e-2, False), (lambda g: None, True)])
def test_gradcheck_sees_what_a_hook_does_to_a_gradient(hook: Any, right: bool) -> None:
    def hooked(x: Any) -> Any:
        y = x * x
        y.register_hook(hook)
        return y.sum()

    x = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(hooked, (x,), raise_exception=False) is right


@pytest.mark.parametrize(
    ("backward", "verdicts"),
    [
        ("return g * 2 * (x - x.mean()) / 2", [Verdict.WRONG]),
        ("return g * 2 * (x - x.mean()) / len(x)", []),
        # A shape that it refuses is none that it is meant for.
        ("return g * (x - x.mean()) * torch.ones(2, dtype=x.dtype)", []),
    ],
)
def test_a_length_that_a_backward_has_by_heart(backward: str, verdicts: list[Verdict]) -> None:
    rest = "x = torch.tensor([0.5, 0.7], requires_grad=True)\nout = Own.apply(x)\n"
    text = own("return ((x - x.mean()) ** 2).mean()", backward, rest)
    for everywhere in (False, True):
        options = Options(everywhere=everywhere)
        found = check_program(program(text), options)
        wrong = [x.verdict for x in found.findings if not x.passes(options)]
        assert wrong == (verdicts if everywhere else [])


@pytest.mark.parametrize(("n", "told"), [("3", True), ("len(x)", False)])
def test_a_length_that_only_the_backward_names_is_told(n: str, told: bool) -> None:
    rest = "x = torch.tensor([0.5, 0.7, -1.2], requires_grad=True)\nout = Own.apply(x)\n"
    text = own("return ((x - x.mean()) ** 2).mean()", f"return g * 2 * (x - x.mean()) / {n}", rest)
    found = check_program(program(text), Options())
    assert [x for x in found.findings if not x.passes(Options())] == []
    start = "OUT_OF_REACH: the backward of Own has it by heart that there are axes of length 3: with x of shape (4,)"
    assert any(note.startswith(start) for note in found.notes) is told


@pytest.mark.parametrize(("of", "fails"), [("2 * x * g * (g / g.detach())", True), ("2 * x * g", False)])
def test_a_derivative_along_what_arrives_is_wrong_also_where_that_does_not_move(of: str, fails: bool) -> None:
    rest = "x = torch.tensor([0.5, 0.7], requires_grad=True)\nout = Own.apply(x).sum()\n"
    options = Options(order=2)
    found = check_program(program(own("return x**2", f"return {of}", rest)), options).findings
    wrong = [x for x in found if x.fails(options)]
    assert [(x.input, x.notes[0].text[-46:]) for x in wrong] == (
        [("x", "arrives, which moves when the output is scaled")] if fails else []
    )
