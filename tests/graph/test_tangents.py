"""Tangents beside values: what PyTorch's forward mode says, and what the gradients add up to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.graph.view.collect import of_program
from gradcli.graph.view.view import View
from gradcli.spec.input.source import Spec, read, typed
from gradcli.spec.program import Program
from tests.record_expressions import GALLERY
from tests.rings import sampled

WRITES = """\
import torch
w = torch.tensor([0.5, -1.2, 2.0], requires_grad=True, dtype=torch.float64)
b = torch.tensor(2.0, requires_grad=True, dtype=torch.float64)
h = w * b
h[0] = b * 3
h[1:].mul_(b)
y = torch.stack([h.sort().values, h.cumsum(0)])
"""

JVP = """\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 3
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g
    @staticmethod
    def jvp(ctx, t):
        return 3 * ctx.saved_tensors[0] ** 2 * t
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Cube.apply(x * x)
"""


def _view(text: str, **options: Any) -> View:
    return of_program(Program(Spec(typed("spec.py", text), False, None, None)), forward=True, **options)


def _tangent(view: View) -> Any:
    return view.root.output(view.output_nr).tangent


def test_tangents_of_writes_are_pytorchs() -> None:
    # By torch.func.jvp along ones: of both leaves, and of b alone.
    assert np.allclose(_tangent(_view(WRITES)), [[-0.8, 3.0, 12.0], [3.0, 2.2, 14.2]])
    alone = _view(WRITES, wrt="b")
    assert np.allclose(_tangent(alone), [[-4.8, 3.0, 8.0], [3.0, -1.8, 6.2]])
    assert [item.variable for item in alone.moving] == ["b"]


def test_a_function_says_its_own_tangents() -> None:
    assert _tangent(_view(JVP)).tolist() == [6.0, 192.0]


def test_what_has_no_tangent_is_told() -> None:
    view = _view(JVP.replace("def jvp", "def other"))
    assert _tangent(view) is None
    assert view.untold is view.root


# Hooks, and functions whose backward is no derivative on purpose.
_OTHERWISE = {"hooks", "straight_through", "custom_function"}


@sampled(6)
@pytest.mark.parametrize("path", [p for p in GALLERY if p.stem not in _OTHERWISE], ids=lambda p: p.stem)
def test_tangents_are_sums_of_gradients(path: Path) -> None:
    view = of_program(Program(read(str(path))), forward=True)
    tangent = _tangent(view)
    weights = view.root.grad if view.output_nr == 0 else np.asarray(1.0)
    total = sum(float(np.sum(leaf.grad)) for leaf in view.leaves() if leaf.grad is not None)
    size = sum(float(np.sum(np.abs(leaf.grad))) for leaf in view.leaves() if leaf.grad is not None)
    assert abs(float(np.sum(tangent * weights)) - total) <= 1e-4 * max(size, 1e-3)
