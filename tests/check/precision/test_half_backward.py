"""Backwards that go through half precision: inaccurate, and no more than that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradcli.check.blaming.each_function import wrong_functions
from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import GRAVITY, PASSES, Verdict
from gradcli.check.replay.in_double import names_halves
from gradcli.check.replay.subject import of_program
from gradcli.errors import Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program
from gradcli.verdicts import NoteKind
from tests.cli.invoke import gradcli
from tests.rings import sampled

from ..subjects import own, program

SINE = """
import torch

class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (g.KIND() * SLOPE).to(x.dtype)

w = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
Sine.apply(w).sum().backward()
"""


@sampled(4)
@pytest.mark.parametrize("kind", ["bfloat16", "half"])
@pytest.mark.parametrize(
    ("slope", "code"),
    [("x.KIND().cos()", 0), ("x.KIND().cos() * 1.1", 1), ("x.KIND().sin()", 1), ("x.KIND().cos().abs()", 1)],
)
def test_a_backward_in_half_precision_is_inaccurate_at_most(tmp_path: Path, kind: str, slope: str, code: int) -> None:
    path = tmp_path / "sine.py"
    path.write_text(SINE.replace("SLOPE", slope).replace("KIND", kind))
    done = gradcli("check", str(path))
    assert (done.returncode, done.stderr) == (code, "")
    if not code:
        cast = "bfloat16" if kind == "bfloat16" else "float16"
        assert "G108 an inaccurate gradient" in done.stdout
        assert f"DIGITS: a cast to {cast}, at line 13" in done.stdout


def test_a_program_in_bfloat16_is_judged_in_double(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\nm = torch.nn.Linear(3, 2).to(torch.bfloat16)\nx = torch.randn(4, 3).bfloat16()\n"
        "loss = torch.nn.functional.gelu(m(x)).float().mean()\nloss.backward()\n"
    )
    done = gradcli("check", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "right: 2 inputs (8 numbers), order 1, 12 digits" in done.stdout


CAST = """
import torch

x = torch.tensor([[0.3, 1.7], [-2.2, 0.4]], dtype=torch.float64, requires_grad=True)
w = torch.tensor([[1.3, -0.7], [0.6, 2.1]], dtype=torch.float64, requires_grad=True)
h = torch.tanh((SCALE * x).KIND() @ w.KIND()).double()
loss = (h ** 2).mean() * LAST
loss.backward()
"""


@sampled(4)
@pytest.mark.parametrize(
    ("kind", "scale", "last", "verdict"),
    [
        ("half", "0.5", "1", Verdict.INACCURATE),
        ("bfloat16", "0.5", "1", Verdict.INACCURATE),
        # It underflows, and overflows.
        ("half", "0.5", "1e-9", Verdict.UNRESOLVED),
        ("half", "1e5", "1", Verdict.WRONG),
    ],
)
def test_casts_to_half_precision_in_a_forward_are_told_apart(
    kind: str, scale: str, last: str, verdict: Verdict
) -> None:
    text = CAST.replace("KIND", kind).replace("SCALE", scale).replace("LAST", last)
    found = check_program(program(text), Options(order=2))
    assert found.failure is None
    first = [finding for finding in found.findings if finding.order == 1]
    assert max((finding.verdict for finding in first), key=GRAVITY.index) is verdict
    assert any(note.kind is NoteKind.HALF for finding in first for note in finding.notes)
    assert {finding.verdict for finding in found.findings if finding.order == 2} <= PASSES


def test_what_is_wrong_is_so_beside_casts_to_half_precision_too() -> None:
    rest = "w = torch.ones(3, requires_grad=True)\nloss = Own.apply(w).sum().double()"
    text = own("return x.half().exp().double()", "return g * x.exp() * 1.01", rest)
    found = check_program(program(text), Options())
    assert [finding.verdict for finding in found.findings] == [Verdict.WRONG]


def test_a_gradient_that_is_cast_at_last_is_inaccurate() -> None:
    rest = "w = torch.tensor([0.3, 1.7, -2.2], requires_grad=True)\nloss = Own.apply(w).sum()"
    found = check_program(program(own("return x.sin()", "return (g * x.cos()).half().double()", rest)), Options())
    assert [finding.verdict for finding in found.findings] == [Verdict.INACCURATE]
    assert any(note.startswith("DIGITS: a cast to float16") for note in found.findings[0].notes)


@pytest.mark.parametrize(
    ("kept", "result", "slope", "verdict"),
    [
        ("x.half()", "x.sin()", "x.to(g.dtype).cos()", Verdict.INACCURATE),
        ("x.bfloat16()", "x.sin()", "x.to(g.dtype).cos() * 1.01", Verdict.WRONG),
        ("(x > 0).half()", "x.relu()", "x.to(g.dtype)", Verdict.PASS),
        # Of another function no more is told than that its gradient is right.
        ("x.half()", "x.half().sin().float()", "x.to(g.dtype).cos()", Verdict.PASS),
        ("x", "x.sin().bfloat16()", "x.cos()", Verdict.PASS),
    ],
)
def test_what_a_forward_keeps_in_half_precision(kept: str, result: str, slope: str, verdict: Verdict) -> None:
    text = SINE.replace("ctx.save_for_backward(x)", f"ctx.save_for_backward({kept})").replace("x.sin()", result)
    text = text.replace("(g.KIND() * SLOPE).to(x.dtype)", f"g * {slope}").replace("1.0, -2.0, 3.0", "0.3, -1.7, 2.2")
    found = check_program(program(text), Options())
    assert [finding.verdict for finding in found.findings] == [verdict]


def test_what_is_called_half_need_not_be_half_precision() -> None:
    assert names_halves(program("y = x.half()", ["x=1"]))
    assert names_halves(program("import torch as t\ny = x.to(t.bfloat16)", ["x=1"]))
    assert not names_halves(program("y = net.half * x", ["x=1"]))


def test_casts_that_are_left_out_as_single_precision_is_are_told() -> None:
    made = program("w = torch.tensor([0.3, -1.7], requires_grad=True)\nloss = w.half().float().sin().sum()")
    checked = check_program(made, Options())
    assert [finding.verdict for finding in checked.findings] == [Verdict.PASS]
    assert [note.kind for note in checked.notes] == [NoteKind.HALF]
    assert "are right" in " ".join(check_program(made, Options(float32=True)).findings[0].notes)


def test_a_cast_is_told_also_where_the_program_does_not_move_what_it_rounds() -> None:
    text = """
import torch
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return (a * a).sum()
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        return torch.stack([2 * g * a[0], (2 * g * a[1]).float().double()])
x = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
y = Own.apply(torch.stack([x, x.detach() * 0 + 0.7]))
"""
    run = Program(Spec(Source("own.py", text), False, None, None))
    findings, notes = of_program(run, act=lambda subject: wrong_functions(subject, np.random.default_rng(0), False))
    assert [(x.verdict, x.input) for x in findings] == [(Verdict.INACCURATE, "x")]
    assert notes == []
