"""Backwards that go through half precision: inaccurate, and no more than that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import gradcli

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
    assert "right: 2 inputs (8 numbers), order 1, 13 digits" in done.stdout
