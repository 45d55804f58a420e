"""Functions of real numbers that compute with complex ones inside: what is right is never blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import gradcli as run

FUNCTION = """
import torch

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return F.of(x)

    @staticmethod
    def of(x):
        return {body}

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            z = x.detach().requires_grad_()
            out = F.of(z)
        return {sign}g * torch.autograd.grad(out, z)[0]

x = torch.tensor([[0.5, -1.2], [2.0, 0.3]], dtype=torch.float64, requires_grad=True)
loss = F.apply(x)
"""
INSIDE = {
    "an imaginary number": "((x * 1j + 2).exp() * x).abs().sum()",
    "parts": "torch.complex(x, x * x).abs().sum()",
    "a transform": "torch.fft.rfft(x).abs().square().sum()",
    "a transform and back": "torch.fft.irfft(torch.fft.rfft(x) * (1 + 2j), n=2).sin().sum()",
    "a constant": "(x * torch.tensor([1j, 2])).abs().sum()",
    "a cast": "(x.to(torch.complex128) ** 2 * 1j).imag.sum()",
}


@pytest.mark.parametrize("body", INSIDE.values(), ids=INSIDE.keys())
@pytest.mark.parametrize(("sign", "code"), [("", 0), ("-", 1)])
def test_complex_numbers_inside_are_no_readings(body: str, sign: str, code: int, tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(FUNCTION.format(body=body, sign=sign))
    done = run("check", str(spec))
    assert done.returncode == code, done.stdout + done.stderr
    assert ("G101 wrong gradient" in done.stdout + done.stderr) == bool(code)
