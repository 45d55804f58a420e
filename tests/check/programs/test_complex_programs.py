"""Programs of complex tensors: the parts of each input are judged, and what is right is never blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradcli
from gradcli.autograd import gradcheck, gradgradcheck
from gradcli.check.gradcheck import GradcheckError
from tests.cli.invoke import gradcli as run
from tests.rings import sampled

LEAVES = """
import torch
torch.manual_seed(0)
z = torch.tensor([[1+2j, 3-1j], [-0.5+0.3j, 0.7-2j]], dtype=torch.complex128, requires_grad=True)
w = torch.tensor([0.3-1j, 2+0.4j], dtype=torch.complex128, requires_grad=True)
x = torch.tensor([0.3, 0.8], dtype=torch.float64, requires_grad=True)
"""

RIGHT = {
    "a product": "loss = (z * w).abs().sum()",
    "a complex loss": "loss = z.conj() * w",
    "powers": "loss = ((z ** 2.5) + w ** z).abs().sum()",
    "elementary functions": "loss = (z.sin() * w.tanh() + z.acos() * w.atan() + (z + 3).log()).real.sum()",
    "polar": "r = torch.polar(z.real.exp(), w.imag)\nloss = (r * z).imag.sum()",
    "matrices": "A = torch.einsum('ij,kj->ik', z, w.expand(2, 2).conj())\nloss = (A @ A.mH).abs().sum()",
    "writes": "y = z * 1\ny[0] = w\ny.imag.mul_(2)\ny.conj()[1] *= w\nloss = (y * y).imag.sum()",
    "a choice": "loss = torch.where(z.real > 0.6, z, w).abs().prod()",
    "running sums": "loss = torch.cat([z, w[None]]).cumsum(0).cumprod(1).real.sum()",
    "a loop": "q = z * 0.1\nfor _ in range(6):\n    q = q * q + w * 0.1\nloss = q.abs().sum()",
    "real and complex leaves": "loss = (x * z).sin().abs().sum() + (x ** 2).sum() * w.angle().sum()",
    "single precision": "z = z.detach().to(torch.complex64).requires_grad_()\nloss = (z * w).abs().sum()",
    "casts": "loss = (z.to(torch.complex64) * w.to(torch.complex64)).abs().sum()",
    "zero": "o = torch.zeros(2, dtype=torch.complex128, requires_grad=True)\nloss = o.abs().sum() + z.abs().sum()",
    "a gradient": "g, = torch.autograd.grad((z * z * w).abs().sum(), z, create_graph=True)\nloss = g.abs().log().sum()",
    "a layer": "loss = torch.nn.Linear(2, 2, dtype=torch.complex128)(z).abs().sum()",
    "a step": "o = torch.optim.Adam([z])\n(z * z - 1).abs().sum().backward()\no.step()\nloss = (z * w).abs().sum()",
}  # fmt: skip

# The forward and the backward of a Function of a complex argument, and whether it is right.
FUNCTIONS = [
    ("z * z", "g * 2 * z.conj()", True),
    ("torch.exp(z)", "g * torch.exp(z).conj()", True),
    ("z.real**2 + z.imag**2", "2 * g * z", True),
    ("z.conj() * 2", "g.conj() * 2", True),
    ("z.real * 1.5", "(1.5 * g).to(z.dtype)", True),
    ("torch.complex(z.imag, z.real)", "torch.complex(g.imag, g.real)", True),
    ("z * z", "g * 2 * z", False),
    ("z * z", "(g * 2 * z.conj()).real + 0j", False),
    ("z * z", "g * 2 * z.conj() if g.is_contiguous() else g * 3 * z.conj()", False),
    ("torch.exp(z)", "g * torch.exp(z)", False),
    ("z.real**2 + z.imag**2", "g * z", False),
    ("z.real**2 + z.imag**2", "2 * g * z.conj()", False),
    ("z.conj() * 2", "g * 2", False),
    ("z.imag * 1.0", "-1j * g", False),
    ("z.abs()", "g * z", False),
]

FUNCTION = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return FORWARD

    @staticmethod
    def backward(ctx, g):
        z, = ctx.saved_tensors
        return BACKWARD

y = Own.apply(z * w)
loss = (y * (1 + 0.5j)).real.sum()
"""


def checked(path: Path, text: str, *options: str) -> tuple[int, str]:
    path.write_text(LEAVES + text + "\n")
    done = run("check", str(path), "--check-timeout", "60", *options)
    assert done.stderr == ""
    return done.returncode, done.stdout


@sampled(12)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_right(tmp_path: Path, name: str) -> None:
    code, out = checked(tmp_path / "spec.py", RIGHT[name], "--order", "2")
    assert (code, "0 wrong" in out) == (0, True), out


@sampled(6, each="right")
@pytest.mark.parametrize(("forward", "backward", "right"), FUNCTIONS)
def test_a_function_of_complex_numbers(tmp_path: Path, forward: str, backward: str, right: bool) -> None:
    text = FUNCTION.replace("FORWARD", forward).replace("BACKWARD", backward)
    code, out = checked(tmp_path / "spec.py", text)
    assert code == (0 if right else 1), out
    if not right:
        # The return of the backward is named, and which part of its argument.
        assert "spec.py:17:9: G101 wrong gradient" in out
        assert "Own.backward" in out


def test_an_input_that_is_given_may_be_complex() -> None:
    inputs = ("z=[1+2j, 3]", "w=[0.5j, 1]")
    out = run("check", "(z * w).abs().sum()", *inputs, "--no-grad", "w").stdout
    assert out.startswith("(z * w).abs().sum(): right: 2 inputs (4 numbers)")


def test_each_part_of_an_input_is_one(tmp_path: Path) -> None:
    code, out = checked(tmp_path / "spec.py", "loss = (z * w).abs().sum()", "--wrt", "z")
    assert (code, "right: 2 inputs (8 numbers)" in out) == (0, True)
    code, out = checked(tmp_path / "spec.py", "loss = (z * w).abs().sum()", "--wrt", "w.imag")
    assert (code, "right: 1 input (2 numbers)" in out) == (0, True)


@pytest.mark.parametrize("cut", ["z.data", "z.detach()"])
def test_a_path_around_the_graph_is_found(tmp_path: Path, cut: str) -> None:
    code, out = checked(tmp_path / "spec.py", f"loss = ({cut} * w).abs().sum()")
    assert (code, "G106 a path around the graph: loss with respect to z.real" in out) == (1, True)


def test_a_cast_in_a_backward_is_inaccurate(tmp_path: Path) -> None:
    lossy = "(g * 2 * z.conj()).to(torch.complex64).to(torch.complex128)"
    text = FUNCTION.replace("FORWARD", "z * z").replace("BACKWARD", lossy)
    code, out = checked(tmp_path / "spec.py", text)
    assert (code, "G108 an inaccurate gradient" in out) == (0, True)


def test_gradcheck_takes_complex_inputs() -> None:
    z = gradcli.tensor([1 + 2j, 3 - 1j], dtype=gradcli.complex128, requires_grad=True)
    x = gradcli.ones(2, dtype=gradcli.float64, requires_grad=True)
    assert gradcheck(lambda a, b: (a * b).abs(), (z, x))
    assert gradcheck(lambda a, b: (a * b, a.conj()), (z, x))
    assert gradgradcheck(lambda a, b: (a * b).sin(), (z, x))

    class Wrong(gradcli.autograd.Function):
        @staticmethod
        def forward(ctx, z):  # type: ignore[no-untyped-def]
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):  # type: ignore[no-untyped-def]
            (z,) = ctx.saved_tensors
            return g * 2 * z

    with pytest.raises(GradcheckError, match=r"WRONG: the gradient of f\.real\[0\] with respect to input\[0\]\.imag"):
        gradcheck(Wrong.apply, (z,))
