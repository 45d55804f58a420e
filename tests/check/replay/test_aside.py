"""Numbers that ops compute aside, for their backward: a recorded backward, evaluated again, has them anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.check.orders import check_subject
from gradcli.check.replay.subject import of_function
from gradcli.engine.registry import OPS
from tests.check.subjects import acting, program, wrong_nodes
from tests.engine.test_registry import SAMPLES, WITH_RULES, _tensor, _wrapped, case
from tests.rings import sampled

# There is no second derivative of these, and they say so.
ONCE = {
    "_scaled_dot_product_flash_attention_for_cpu", "ctc_loss_forward", "unique_", "unique_along",
    "unique_consecutive_", "multilabel_margin_loss_forward",
}  # fmt: skip

SIDES = [name for name in WITH_RULES if OPS[name].aside and name not in ONCE]

CRITIC = """
import torch
torch.manual_seed(3)
first, norm, last = torch.nn.Linear(3, 4), torch.nn.{norm}, torch.nn.Linear(4, 1)
critic = lambda x: last(torch.{activation}(norm(first(x))))
real, fake = torch.randn(3, 3), torch.randn(3, 3)
part = torch.rand(3, 1)
mixed = (part * real + (1 - part) * fake).requires_grad_()
score = critic(mixed)
slope = torch.autograd.grad(score, mixed, torch.ones_like(score), create_graph=True)[0]
loss = critic(fake).mean() - critic(real).mean() + 10 * ((slope.norm(2, dim=1) - 1) ** 2).mean()
"""

# A gradient of the second order and a function of the program's own that is wrong.
WRONG = """
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x
x = torch.tensor([0.3, -0.8, 1.1], requires_grad=True)
y = Square.apply(x)
first = torch.nn.functional.logsigmoid(y).sum() + torch.nn.functional.layer_norm(y, (3,)).pow(3).sum()
slope, = torch.autograd.grad(first, y, create_graph=True)
out = (slope ** 2).sum()
"""


def _weighed(x: Any) -> Any:
    weights = torch.linspace(0.5, 1.5, x.numel(), dtype=torch.float64).reshape(x.shape)
    return (x * weights).sum()


@pytest.mark.parametrize(("name", "index"), [(name, i) for name in SIDES for i in range(min(2, len(SAMPLES[name])))])
def test_a_gradient_that_a_program_takes_is_right(name: str, index: int) -> None:
    c = case(name, index)

    def function(*tensors: Any) -> Any:
        values = {key: _wrapped(value) for key, value in c.with_arrays(list(tensors)).items()}
        made = c.op.call(*c._positional(values), **c._keywords(values))
        first = made[0] if isinstance(made, tuple) else made
        moved = [x for x in tensors if x.requires_grad]
        slopes = torch.autograd.grad(_weighed(first), moved, create_graph=True, allow_unused=True)
        sums = [_weighed(g) for g in slopes if g is not None]
        return sum(sums) + _weighed(first)

    checked = Checked(name)
    tensors = [_tensor(np.array(a)).requires_grad_() for a in c.arrays()]
    check_subject(of_function(function, tensors, name), Options(), checked)
    assert [f for f in checked.findings if not f.passes(Options())] == []


def test_ops_that_compute_something_aside_are_known() -> None:
    assert {"log_sigmoid", "native_batch_norm", "native_layer_norm"} <= set(SIDES)


@sampled(3)
@pytest.mark.parametrize("norm", ["LayerNorm(4)", "BatchNorm1d(4)", "GroupNorm(2, 4)"])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_a_penalty_on_the_gradient_of_a_critic_is_right(norm: str, activation: str) -> None:
    checked = check_program(program(CRITIC.format(norm=norm, activation=activation)), Options())
    assert checked.failure is None
    assert [f for f in checked.findings if not f.passes(Options())] == []


def test_beside_the_largest_number_there_is_no_step() -> None:
    text = "import torch\nx = torch.tensor([1.7e308, 0.5], requires_grad=True)\nout = (x * 1e-308).sum()"
    assert check_program(program(text), Options()).failure is None


def test_of_the_backward_of_a_backward_the_ops_alone_are_right() -> None:
    def faults(subject: Any) -> list[tuple[str, str]]:
        roots = [y.tensor._node for y in subject.outputs]
        return [(f.node.name(), f.argument) for f in wrong_nodes(subject.nodes, np.random.default_rng(0), roots)]

    assert acting(faults, WRONG) == [("SquareBackward", "x")]
    checked = check_program(program(WRONG), Options())
    assert [f.signature for f in checked.findings] == ["claimed = 1/2 of the true gradient"]
