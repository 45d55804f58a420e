"""Which programs are known to do as their graphs without being run again."""

from __future__ import annotations

import pytest

from gradcli.check.judging.hidden_paths import shows_all
from gradcli.check.replay.only_ops import names_only_ops

from .subjects import of_program, program

HEAD = "import torch\nimport torch.nn.functional as F\nx = torch.tensor([0.3, -0.7, 1.2], requires_grad=True)\n"
SHOWN = [
    "out = (torch.sin(x) * x.shape[0] + x.exp()[1:].sum() * 0.5).mean()",
    "h = x\nfor k in range(3):\n    h = torch.tanh(h) * (k + 1)\nout = F.softplus(h).sum()",
    "def f(t):\n    return t.clone() @ torch.eye(len(t))\nout = f(x).sum()\nout.backward()\nprint(out)",
    "out = F.batch_norm(x.reshape(3, 1), None, None, training=True).sum() + F.mse_loss(x, torch.tensor([1.0, 2.0, 3]))",
]
FUNCTION = """
from torch.autograd import Function
class Scale(Function):
    'A factor.'
    @staticmethod
    def forward(ctx, t, factor):
        y = torch.exp(t)
        ctx.factor = factor
        ctx.save_for_backward(y)
        return y * ctx.factor
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y * ctx.factor, None
out = Scale.apply(x * 2, 3.0).sum()
"""
SETUP = """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(t, factor):
        return torch.exp(t) * factor
    @staticmethod
    def setup_context(c, inputs, output):
        c.t, c.factor = inputs
    @staticmethod
    def backward(c, g):
        return g * torch.exp(c.t) * c.factor, None
out = Scale.apply(x * 2, 3.0).sum()
"""
SHOWN += [SETUP, FUNCTION, FUNCTION.replace("class Scale(Function)", "class Scale(torch.autograd.Function)")]
# Functions that use other numbers than they are given, or do more than to compute, as far as their names tell.
MORE = [
    ("torch.exp(t)", "torch.exp(t) * x"),
    ("torch.exp(t)", "torch.exp(t.detach())"),
    ("torch.exp(t)", "torch.exp(t if t.sum() > 0 else -t)"),
    ("torch.exp(t)", "torch.exp(t)\n        t.mul_(2)"),
    ("torch.exp(t)", "torch.exp(t)\n        t *= 2"),
    ("torch.exp(t)", "torch.exp(t)\n        Scale.x = t"),
    ("torch.exp(t)", "torch.exp(t) * torch.rand(3)"),
    ("torch.exp(t)", "torch.exp(t) * torch.is_grad_enabled()"),
    ("torch.exp(t)", "torch.exp(t) * other()"),
    ("torch.exp(t)", "torch.exp(t)\n        ctx.mark_dirty(t)"),
    ("= factor", "= factor[0]"),
    ("factor):", "factor=x):"),
    ("'A factor.'", "w = x"),
    ("'A factor.'", "@staticmethod\n    def jvp(ctx, g, _):\n        return g"),
    ("class", "@staticmethod\nclass"),
    ("Scale.apply(x * 2", "x.apply(x * 2"),
]
NOT_SHOWN = [
    *[FUNCTION.replace(*change).replace("3.0", "[x]" if "factor[0]" in change[1] else "3.0") for change in MORE],
    SETUP.replace("(t) * factor", "(t.data) * factor"),
    "out = (x * x.detach()).sum()",
    "out = (x * x.data).sum()",
    "out = x.sum() * x.sum().item()",
    "out = x.sum() * float(x[0])",
    "out = x.sum() * x.tolist()[0]",
    "out = (x * torch.tensor(x)).sum()",
    "out = (x * torch.tensor([x[0], 1.0, 2.0])).sum()",
    "t = torch.tensor\nout = (x * t([x[0], 1.0, 2.0])).sum()",
    "from torch import tensor as t\nout = (x * t([x[0], 1.0, 2.0])).sum()",
    "out = (x * torch.tensor(data=x)).sum()",
    "import math as torch\nout = x.sum() * torch.sin(x[0])",
    "b = F.batch_norm\nm = torch.zeros(3)\nout = (b(x.reshape(1, 3), m, torch.ones(3)) * m).sum()",
    "out = (x * torch.full((3,), x[0])).sum()",
    "out = (x * torch.as_tensor([1.0, 2.0, 3.0])).sum()",
    "out = (x * torch.empty(3)).sum()",
    "with torch.no_grad():\n    y = x * 2\nout = (x * y).sum()",
    "(x ** 3).sum().backward()\nout = (x * x.grad).sum()",
    "out = (x * torch.autograd.grad((x ** 3).sum(), x)[0]).sum()",
    "from torch.autograd import grad as sin\nout = (x * sin((x ** 3).sum(), x)[0]).sum()",
    "from torch import Tensor as tanh\nout = (x * tanh.detach(x)).sum()",
    "out = (x * getattr(x, 'data')).sum()",
    "out = x.sum() * len(f'{x}')",
    "out = x.sum() * len(str(x))",
    "out = x.sum() * (2.0 if x.sum() > 0 else 1.0)",
    "out = torch.where(x > 0, x, -x).sum()",
    "out = x.sum() * x.argmax()",
    "y = torch.zeros(3)\ny += x\nout = y.sum()",
    "y = torch.zeros(3)\ny[0] = x[0]\nout = (x * y).sum()",
    "y = torch.zeros(3)\ntorch.sin(x.detach(), out=y)\nout = (x * y).sum()",
    "m = torch.zeros(3)\nout = (F.batch_norm(x.reshape(1, 3), m, torch.ones(3)) * m).sum()",
    "m = torch.nn.Linear(3, 1)\nout = m(x).sum()",
    "class A:\n    n = 0\nout = x.sum() * A.n",
    "import math\nout = x.sum() * math.sin(x[0])",
    "y = x * 2\nx.register_hook(lambda g: g * 2)\nout = y.sum()",
]


@pytest.mark.parametrize("text", SHOWN)
def test_what_names_only_ops_is_known_without_a_second_run(text: str) -> None:
    assert of_program(program(HEAD + text), act=shows_all)


def test_what_may_leave_its_graph_is_run_again() -> None:
    for text in NOT_SHOWN:
        assert text != FUNCTION
        made = program(HEAD + text)
        if not names_only_ops(made.tree):
            continue
        # What has only such names is known by what was noted while it ran.
        assert not of_program(made, act=shows_all), text
