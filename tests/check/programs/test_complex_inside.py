"""Functions of real numbers that compute with complex ones inside, and linear algebra: none is blamed when right."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.verdicts import Verdict
from tests.cli.invoke import gradcli as run
from tests.rings import sampled

from ..subjects import program

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
    "eigenvalues": "torch.linalg.eigvals(x).abs().sum()",
    "a cast": "(x.to(torch.complex128) ** 2 * 1j).imag.sum()",
}


@sampled(4)
@pytest.mark.parametrize("body", INSIDE.values(), ids=INSIDE.keys())
@pytest.mark.parametrize(("sign", "code"), [("", 0), ("-", 1)])
def test_complex_numbers_inside_are_no_readings(body: str, sign: str, code: int, tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(FUNCTION.format(body=body, sign=sign))
    done = run("check", str(spec), "--check-timeout", "60")
    assert done.returncode == code, done.stdout + done.stderr
    assert ("G101 wrong gradient" in done.stdout + done.stderr) == bool(code)


LEAVES = """
import torch
A = torch.tensor([[1+2j, 0.5, 1j], [0.25j, 2-1j, 0.3], [1-1j, 0.2, 3j]], dtype=torch.complex128, requires_grad=True)
B = torch.tensor([[1j, 2], [0.5-1j, 1], [3, 1+1j]], dtype=torch.complex128, requires_grad=True)
R = torch.tensor([[1.0, 2, 0.5], [-0.5, 0.25, 1], [2, 1, -1]], dtype=torch.float64, requires_grad=True)
"""
MATRICES = {
    "solve": "loss = torch.linalg.solve(A, B).abs().sum()",
    "determinants": "s, size = torch.linalg.slogdet(A)\nloss = torch.linalg.det(A).abs() + size + s.angle()",
    "cholesky": "loss = torch.linalg.cholesky(A @ A.mH).abs().sum()",
    "qr": "Q, R_ = torch.linalg.qr(B + 0.3)\nloss = (Q.abs().square() * R_[0].real).sum() + R_.imag.sum()",
    "svd": "U, S, Vh = torch.linalg.svd(B, full_matrices=False)\nloss = (U.abs() * S).sum() + Vh.abs().sin().sum()",
    "eigh": "L, V = torch.linalg.eigh(A + A.mH)\nloss = (V.abs() * L).sum()",
    "eig": "L, V = torch.linalg.eig(A)\nloss = (V.abs() * L.abs()).sum()",
    "eig of real matrices": "loss = torch.linalg.eigvals(R).abs().square().sum() + torch.linalg.eig(R)[1].abs().sum()",
    "exponential": "loss = torch.matrix_exp(A / 4).abs().sum()",
    "pinv": "loss = torch.linalg.pinv(B).abs().sum() + torch.linalg.norm(A, 'nuc')",
}


@sampled(4)
@pytest.mark.parametrize("program", MATRICES.values(), ids=MATRICES.keys())
def test_a_right_program_of_complex_matrices_is_right(program: str, tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(LEAVES + program + "\n")
    done = run("check", str(spec), "--check-timeout", "60", "--order", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "right" in done.stdout


BY_KIND = """
import torch

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        if x.sum() > 1e9:  # keeps the forward from being recorded
            raise ValueError("too large")
        return F.of(x)

    @staticmethod
    def of(x):
        half = 0.5 if x.is_complex() or not torch.is_floating_point(x) else 1
        return half * (x @ x.mH + x.conj().mT @ x.real) + torch.cov(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            return torch.autograd.grad(F.of(x), x, g, create_graph=True)

x = torch.tensor([[0.5, -1.2], [2.0, 0.3]], dtype=torch.float64, requires_grad=True)
loss = F.apply(x).sin().sum()
"""


def test_a_function_that_asks_whether_numbers_are_complex_is_told_that_real_ones_are_not() -> None:
    found = check_program(program(BY_KIND), Options(order=2))
    assert found.failure is None
    assert [finding.verdict for finding in found.findings] == [Verdict.PASS, Verdict.PASS]
