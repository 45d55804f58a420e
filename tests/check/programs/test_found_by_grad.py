"""Gradients that a program computes by another road than backward() are found, judged and told."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.check.check import Checked, Options, check_program
from gradcli.graph.view.collect import of_program
from gradcli.verdicts import Verdict
from tests.rings import sampled

from ..subjects import program

HEAD = """
import torch
from torch.func import grad, jacrev, vjp, vmap
from torch.autograd import functional

class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return FACTOR * g * x**2

def f(x):
    return (Cube.apply(x) * x.sin()).sum()

def rows(x):
    return Cube.apply(x) * x.flip(0)

def last(x):
    y = x.detach().requires_grad_()
    return torch.autograd.grad(f(y), y)[0]

point = torch.tensor([1.0, 2.0])
"""

# The last line of a program, and of how many numbers it asks for the gradient.
ROADS = [
    "print(last(point))",
    "print(grad(f)(point))",
    "print(jacrev(grad(f))(point))",
    "print(jacrev(rows)(point))",
    "print(vjp(rows, point)[1](torch.ones(2)))",
    "print(vmap(grad(f))(torch.stack([point, 2 * point])))",
    "print(functional.jacobian(rows, point))",
    "print(functional.vjp(rows, point, torch.ones(2)))",
    "print(grad(lambda p: f(p['a'] * p['b'].sum()))({'a': point, 'b': point + 1}))",
]


def checked(text: str, factor: int, **how: Any) -> Checked:
    return check_program(program(HEAD.replace("FACTOR", str(factor)) + text), Options(**how))


@sampled(3)
@pytest.mark.parametrize("text", ROADS)
def test_every_road_to_a_gradient(text: str) -> None:
    right = checked(text, 3)
    assert right.failure is None
    assert {x.verdict for x in right.findings} == {Verdict.PASS}
    wrong = checked(text, 2)
    (found, *_) = wrong.findings
    assert found.verdict is Verdict.WRONG
    assert found.span is not None
    assert "FACTOR" in HEAD.splitlines()[found.span.line - 1]


def test_which_call_it_was_is_told() -> None:
    text = "print([grad(f)(point * k) for k in range(1, 4)])"
    assert checked(text, 3).backward == "grad 3 of 3"
    view = of_program(program(HEAD.replace("FACTOR", "3") + text))
    assert view.backward is not None
    assert view.backward.words == "grad 3 of 3"
    # What it differentiates by is called what the program calls it.
    text = "print(grad(f)(point))"
    assert [x.input for x in checked(text, 3).findings] == ["point"]


def test_a_backward_goes_before() -> None:
    text = "x = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\nprint(grad(f)(point))"
    assert [x.input for x in checked(text, 2).findings] == ["x"]


def test_values_are_put_into_leaves_that_transforms_make() -> None:
    # Beside the graph of the function's last call: only the whole program shows it.
    text = "print(grad(lambda x: (x * x.detach()).sum())(point))"
    assert {x.verdict for x in checked(text, 3).findings} == {Verdict.HIDDEN_PATH}


def test_comparisons_within_a_mapped_function() -> None:
    text = """
x = torch.tensor([1.0, 2.0], requires_grad=True)
over = vmap(lambda t: (t > 1.5) * 1.0)(x.detach())
(vmap(lambda t: torch.where(t > 1.5, t * t, t))(x) * over).sum().backward()
"""
    assert {x.verdict for x in checked(text, 3).findings} == {Verdict.PASS}


def test_parameters_without_numbers_stand_aside() -> None:
    text = """
import copy
import torch
layer = torch.nn.Linear(2, 1)
shape = copy.deepcopy(layer).to("meta")
point = torch.tensor([1.0, 2.0], requires_grad=True)
torch.func.functional_call(shape, dict(layer.named_parameters()), (point,)).sum().backward()
"""
    done = check_program(program(text), Options())
    assert done.failure is None
    assert [x.verdict for x in done.findings] == [Verdict.PASS] * 3
    assert of_program(program(text), saved=True).items


@pytest.mark.parametrize("name", ["np.float32", "'f4'", "'<f4'", "'float32'"])
def test_arrays_of_single_precision_are_read_in_double_as_the_program_is(name: str) -> None:
    array = f"import numpy as np\na = np.array([1.5, -2]).astype({name})\n"
    found = checked(array + "torch.nn.Linear(2, 1)(torch.from_numpy(a)).sum().backward()", 3)
    assert found.failure is None
    assert {x.verdict for x in found.findings} == {Verdict.PASS}
