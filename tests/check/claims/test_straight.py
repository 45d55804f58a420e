"""Functions that choose nothing by their numbers are judged by what is recorded inside of them."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.check.blaming import each_function
from gradcli.check.check import check_program
from gradcli.check.judging.entries import probe
from gradcli.check.judging.findings import Checked, Finding, Options
from gradcli.check.judging.verdict import Verdict
from gradcli.check.moving import other_points
from gradcli.check.replay.subject import Subject

from ..subjects import acting, program

HEAD = "import torch\nx = torch.tensor([[0.3, -0.7, 1.5], [1.2, 0.4, -2.1]], requires_grad=True)\n"
FUNCTION = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, by, k):
        ctx.save_for_backward(t, by)
        ctx.k = k
        return {forward}
    @staticmethod
    def backward(ctx, g):
        t, by = ctx.saved_tensors
        return {backward}
"""
RIGHT = "torch.sin(t) * by * k", "g * torch.cos(t) * by * ctx.k, g * torch.sin(t) * ctx.k, None"
ONCE = "out = Own.apply(x, x.exp(), 2.0).sum()"
TWICE = "y = Own.apply(x, x.exp(), 2.0)\nout = y.sum() + (Own.apply(y, x, 3.0) * 0).sum()"
# What a forward and a backward compute, and what is made of them, that is wrong though what arrives hides it.
WRONG = [
    (RIGHT[0], "g.mean() * torch.cos(t) * by * ctx.k, g * torch.sin(t) * ctx.k, None", ONCE),
    (RIGHT[0], "g * torch.cos(t) * by * ctx.k, g.mean() * torch.sin(t) * ctx.k, None", ONCE),
    (RIGHT[0], "g * torch.cos(t) * by * 2.0, g * torch.sin(t) * 2.0, None", TWICE),
    (RIGHT[0], "g * g * torch.cos(t) * by * ctx.k, g * torch.sin(t) * ctx.k, None", ONCE),
    (RIGHT[0], "torch.cos(t) * by * ctx.k, g * torch.sin(t) * ctx.k, None", ONCE),
    (RIGHT[0], "g.flip(0) * torch.cos(t) * by * ctx.k, g * torch.sin(t) * ctx.k, None", ONCE),
    ("torch.sqrt(t * t) * by * k", "g * by * ctx.k, g * torch.sqrt(t * t) * ctx.k, None",
     "out = (Own.apply(x.exp(), x, 2.0) + Own.apply(x - 4, x, 2.0) * 0).sum()"),
]  # fmt: skip


def checked(forward: str, backward: str, end: str) -> Checked:
    return check_program(program(HEAD + FUNCTION.format(forward=forward, backward=backward) + end), Options())


@pytest.mark.parametrize("case", WRONG)
def test_what_is_hidden_by_what_arrives_is_found(case: tuple[str, str, str]) -> None:
    found = checked(*case)
    assert found.failure is None
    assert any(x.fails(Options()) for x in found.findings)


@pytest.mark.parametrize("end", [ONCE, TWICE, TWICE.replace("3.0", "2.0")])
def test_what_is_right_is_seen_at_once(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **how: object) -> None:
        raise AssertionError

    monkeypatch.setattr(each_function, "check_node", refused)
    monkeypatch.setattr(other_points._Search, "_look", refused)
    found = checked(*RIGHT, end)
    assert found.failure is None
    assert not any(x.fails(Options()) for x in found.findings)


CHOOSING = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        {forward}
    @staticmethod
    def backward(ctx, g):
        t, = ctx.saved_tensors
        {backward}
x = torch.tensor([[0.3, -0.7, 1.5], [1.2, 0.4, -2.1]], requires_grad=True)
out = (Own.apply(x) * torch.tensor([0.4, -1.3, 0.8])).sum()
"""
# What ops choose by the numbers, or a backward within the backward computes, all sides of it seen at the given point.
CHOICES = [
    ("ctx.save_for_backward(t)\n        return torch.where(t > 0, t, 0.1 * t)",
     "return torch.where(t > 0, g, 0.1 * g)"),
    ("with torch.no_grad():\n            y = t / (1 + t.abs())\n        ctx.save_for_backward(t)\n        return y",
     "return g / (1 + t.abs()) ** 2"),
    ("e = torch.exp(t - t.max(-1, keepdim=True).values)\n        p = e / e.sum(-1, keepdim=True)\n"
     "        ctx.save_for_backward(p)\n        return p", "return t * (g - (g * t).sum(-1, keepdim=True))"),
    ("ctx.save_for_backward(t)\n        return torch.exp(-t * t)",
     "with torch.enable_grad():\n            z = t.detach().requires_grad_()\n"
     "            return torch.autograd.grad(torch.exp(-z * z), z, g)[0]"),
]  # fmt: skip


@pytest.mark.parametrize("case", CHOICES)
def test_what_ops_choose_is_seen_at_once(case: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    glanced = other_points.glanced
    monkeypatch.setattr(other_points, "glanced", lambda *given: looked.append(given) or glanced(*given))
    text = "import torch\n" + CHOOSING.format(forward=case[0], backward=case[1])
    found = check_program(program(text), Options())
    assert found.failure is None
    assert all(x.passes(Options()) for x in found.findings)
    # Beside a threshold that is in both methods the whole is looked at.
    assert len(looked) <= 2 * ("where" in case[0])


ITSELF = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, u):
        ctx.save_for_backward(t, u)
        return t @ u.t()
    @staticmethod
    def backward(ctx, g):
        t, u = ctx.saved_tensors
        return g @ u, g.t() @ t
x = torch.sin(torch.arange(60.0) * 7 + 1).reshape(5, 12).requires_grad_()
y = x.sin()
out = Own.apply(y, y).sum()
"""


@pytest.mark.parametrize("text", [CHOOSING.format(forward=CHOICES[3][0], backward=CHOICES[3][1]), ITSELF])
def test_a_graph_of_its_own_and_a_product_with_itself_are_seen_at_once_beside_masks(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object, **how: object) -> None:
        raise AssertionError

    monkeypatch.setattr(other_points._Search, "_look", refused)
    found = check_program(program(f"import torch\n{text}out = (out * (x > 0)).sum()"), Options())
    assert found.failure is None
    assert all(x.passes(Options()) for x in found.findings)


# Right for the numbers that are given, which they hold; all sides are seen there, too.
HELD = "torch.tensor([[0.3, -0.7, 1.5], [1.2, 0.4, -2.1]])"
ONLY_HERE = [
    ("ctx.save_for_backward(t)\n        return torch.where(t > 0, t * t, 0.1 * t)",
     f"return torch.where(t > 0, g * 2 * {HELD}, 0.1 * g)"),
    (CHOICES[3][0], CHOICES[3][1].replace("t.detach()", HELD)),
]  # fmt: skip


@pytest.mark.parametrize("case", ONLY_HERE)
def test_what_is_right_with_the_given_numbers_alone_is_found(case: tuple[str, str]) -> None:
    def judge(there: Subject) -> list[Finding]:
        return probe(there, Options(), np.random.default_rng(0))

    def look(subject: Subject) -> list[Finding]:
        return other_points.elsewhere_findings(subject, np.random.default_rng(0), judge).findings

    found = acting(look, "import torch\n" + CHOOSING.format(forward=case[0], backward=case[1]))
    assert [x.verdict for x in found] == [Verdict.WRONG]


def test_where_there_are_no_numbers_nothing_is_wrong() -> None:
    found = checked(*RIGHT, "e = torch.zeros(0, requires_grad=True)\nout = x.sum() + Own.apply(e, e, 2.0).sum()")
    assert found.failure is None
    assert all(x.passes(Options()) for x in found.findings)


def test_what_is_on_the_way_from_other_leaves_is_judged_too() -> None:
    end = "y = torch.ones(2, 3, requires_grad=True)\nout = (Own.apply(x, x, 2.0) + Own.apply(y, y, 2.0)).sum()"
    text = HEAD + FUNCTION.format(forward=RIGHT[0], backward=RIGHT[1]) + end
    found = check_program(program(text), Options(wrt=("y",)))
    assert found.failure is None
    assert [(x.input, x.passes(Options())) for x in found.findings] == [("y", True)]


def test_a_backward_that_lays_gradients_out_is_asked_for_each_layout() -> None:
    found = checked(RIGHT[0], RIGHT[1].replace("g *", "g.view(-1).reshape(2, 3) *"), ONCE.replace(".sum()", ""))
    assert any("stops when the gradient arrives" in str(note) for note in found.notes)
