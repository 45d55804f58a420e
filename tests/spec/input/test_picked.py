"""What ``FILE::NAME`` calls: functions, layers, and what they return."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.errors import ProgramError
from gradcli.graph.view.collect import of_program
from gradcli.spec.input.named_inputs import binding
from gradcli.spec.input.source import read
from gradcli.spec.program import Program

TEXT = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x).sum()

def of_parts(x):
    return {"loss": (x * x).sum(), "parts": [x * 2, (x.sin(), 3)]}

def largest(x, k):
    return torch.topk(x, k).values.sum()

class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(x)
        ctx.n = n
        return x ** n

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * ctx.n * x ** (ctx.n - 1), None
"""


def picked(folder: Path, name: str, *inputs: str, no_grad: tuple[str, ...] = ()) -> Program:
    path = folder / "f.py"
    path.write_text(TEXT)
    return Program(read(f"{path}::{name}"), bindings=[binding(text) for text in inputs], no_grad=no_grad)


def test_a_layer_is_made_and_called_and_its_parameters_have_names(tmp_path: Path) -> None:
    view = of_program(picked(tmp_path, "Net", "x=[1,2,3]"))
    assert sorted(leaf.variable for leaf in view.leaves()) == ["layer.bias", "layer.weight", "x"]


def test_all_tensors_that_a_function_returns_are_found_in_order(tmp_path: Path) -> None:
    names = [x.grad_fn.name() for x in picked(tmp_path, "of_parts", "x=[1,2,3]").run().results()]
    assert names == ["SumBackward0", "MulBackward0", "SinBackward0"]


def test_a_whole_number_without_a_gradient_may_be_meant_to_stay_one(tmp_path: Path) -> None:
    checked = check_program(picked(tmp_path, "Power", "x=[1,2,3]", "n=3"), Options())
    notes = {finding.input: [note.text for note in finding.notes] for finding in checked.findings}
    assert "n=3 is a tensor to differentiate by; with --no-grad n it stays a number" in notes["n"]
    assert notes["x"] == []


def test_a_whole_number_that_is_no_variable_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as caught:
        picked(tmp_path, "largest", "x=[1,2,3]", "k=2").run()
    assert caught.value.help == "k=2 is a tensor to differentiate by; with --no-grad k it stays a number"
    assert picked(tmp_path, "largest", "x=[1,2,3]", "k=2", no_grad=("k",)).run().value.item() == 5
