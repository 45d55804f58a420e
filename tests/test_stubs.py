"""The stubs: as the registry has it, and as a type checker uses them for a program of somebody's."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gradcli
from gradcli.engine import offers
from gradcli.engine.tensor import Tensor
from tests.rings import long
from tests.write_stubs import FOLDER, PLACES, stubs

STUBS = stubs()

# A program as somebody writes it who types: every line is to be accepted.
PROGRAM = """\
from collections.abc import Callable

import gradcli
import gradcli as torch
import gradcli.nn as nn
import gradcli.nn.functional as F
import numpy as np
from gradcli import Tensor, optim
from gradcli.autograd import Function, gradcheck, gradgradcheck


class Net(nn.Module):
    def __init__(self, wide: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, wide)
        self.drop = nn.Dropout(0.1)
        self.second = nn.Linear(wide, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.tanh(self.first(x))
        h = F.layer_norm(self.drop(h), (h.shape[-1],))
        return torch.sigmoid(self.second(h)).squeeze(-1)


def loss(net: Net, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y: Tensor = net(x)
    worst, where = (y - t).abs().max(dim=0)
    first, *rest = torch.split(y, 2)
    kept = torch.where(y > 0.5, y, torch.zeros_like(y))
    norm = torch.linalg.vector_norm(y - t) + torch.special.erf(y).sum()
    a: int = y.numel() + len(rest) + y.dim()
    b: float = y.mean().item()
    c: Tensor = -2 * y @ t / (1 + y.pow(2).sum()) + a * b + first.sum() + kept[0] + y[:, None].T.max() + worst
    y.data.clamp_(min=0).mul_(2)
    return F.mse_loss(y, t) + norm + c


class Square(Function):
    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * x

    @staticmethod
    def backward(ctx: object, g: Tensor) -> Tensor:
        return 2 * g


def test_square(gradcheck: Callable[..., None]) -> None:
    gradcheck(Square.apply, np.ones(3), grad=lambda v: 2 * v)


def known(x: Tensor) -> float:
    result = gradcli.check(torch.sin, x, order=2)
    gradcli.assert_gradient(np.sin, np.ones(3), grad=np.cos, digits=9)
    told = [f"{finding.input} {finding.verdict}" for finding in result.findings]
    assert result.ok and result.verdict.startswith("PASS") and told
    return (result.digits or 0.0) + (result.bar or 0.0)


torch.manual_seed(0)
net = Net(8)
x = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
t = torch.tensor([0.0, 1.0, 0.0, 1.0])
adam = optim.Adam(net.parameters(), lr=1e-2)
with torch.no_grad():
    total = loss(net, x.to(torch.float32), t)
loss(net, x, t).backward()
adam.step()
assert x.grad is None or bool((x.grad == 0).all())
right: bool = gradcheck(torch.sin, (x,)) and gradgradcheck(torch.sin, x, atol=1e-3, raise_exception=False)
result = gradcli.check(lambda v: (v**2).sum(), np.ones(3), grad=lambda v: 2 * v)
print(result.ok, result.verdict, gradcli.trace(total), torch.pi, torch.finfo(torch.float).eps)
"""
# Each line with a mistake, and what a checker says of it.
MISTAKES = {
    "torch.sinn(x)": 'Module has no attribute "sinn"; maybe "sin"?',
    "torch.softmax(x)": 'Missing positional argument "dim" in call to "softmax"',
    "F.mse_loss(x, x, reductio='sum')": 'Unexpected keyword argument "reductio" for "mse_loss"',
    "x.sigmod()": '"Tensor" has no attribute "sigmod"',
    "torch.nn.Linea(2, 3)": 'Module has no attribute "Linea"',
    "number: int = torch.exp(x)": "Incompatible types in assignment",
    "torch.linalg.slove(x, x)": 'Module has no attribute "slove"',
    "torch.ones(2).view(2).backwards()": '"Tensor" has no attribute "backwards"',
    "text: str = gradcheck(torch.sin, x)": "Incompatible types in assignment",
    "gradcheck(torch.sin, 3.0)": 'Argument 2 to "gradcheck" has incompatible type "float"',
    "gradgradcheck(torch.sin, x, epsilon=1e-6)": 'Unexpected keyword argument "epsilon" for "gradgradcheck"',
    "gradcli.assert_gradient(np.sin, 1.0, ordr=2)": 'Unexpected keyword argument "ordr" for "assert_gradient"',
    "gradcli.autograd.gradchek": 'Module has no attribute "gradchek"',
}  # fmt: skip


@pytest.mark.parametrize("name", STUBS)
def test_a_stub_is_as_it_was_written(name: str) -> None:
    """If not: python -m tests.write_stubs."""
    assert (FOLDER / name).read_text(encoding="utf-8") == STUBS[name]


@pytest.mark.parametrize("file", PLACES)
def test_a_stub_has_every_name(file: str) -> None:
    names = set(re.findall(r"(?m)^(?:def |class |from .* as )?(\w+)", STUBS[f"{file}.pyi"]))
    assert set(offers.names(PLACES[file][0])) <= names


def test_a_method_can_be_called_as_the_stub_says() -> None:
    """The parameters that a stub has beside those of any name are those of the method."""
    said = dict(re.findall(r"(?m)^    def (\w+)\(([^)]*)\) -> ", STUBS["methods.pyi"]))
    for name, text in said.items():
        method = getattr(Tensor, name)
        real = () if isinstance(method, property) else inspect.signature(method).parameters.values()
        if not any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in real):
            known = {p.name for p in real}
            assert set(re.findall(r"(\w+): ", text)) <= known | {"args", "kwargs"}, name


def test_nothing_is_imported_from_the_stubs() -> None:
    code = "import sys, gradcli as g; g.sin, g.nn.functional.relu, g.linalg.inv; print('gradcli.stubs' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def checked(place: Path, text: str) -> str:
    """All that mypy --strict says of a program, from outside of this project."""
    (place / "program.py").write_text(text)
    cache = str(Path(gradcli.__file__).parents[1] / ".mypy_cache" / "stubs")
    words = ["-m", "mypy", "--strict", "--no-error-summary", "--hide-error-codes", "--cache-dir", cache, "program.py"]
    done = subprocess.run([sys.executable, *words], cwd=place, capture_output=True, text=True)
    return done.stdout + done.stderr


@long("mypy reads the whole library")
def test_mypy_accepts_a_program_and_finds_its_mistakes(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    first = PROGRAM.count("\n") + 1
    found = checked(tmp_path, PROGRAM + "".join(f"{line}\n" for line in MISTAKES))
    for number, said in enumerate(MISTAKES.values(), first):
        assert f"program.py:{number}: error: {said}" in found, found
    assert found.count("error:") == len(MISTAKES), found
