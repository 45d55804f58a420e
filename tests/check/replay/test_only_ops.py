"""Which programs are known to do as their graphs without being run again."""

from __future__ import annotations

import pytest

from gradcli.check.judging.hidden_paths import shows_all
from gradcli.check.replay import only_ops
from gradcli.check.replay.only_ops import names_only_ops
from gradcli.engine.dispatch import overriding
from gradcli.engine.tensor import Tensor

from ..subjects import of_program, program

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
MODULE = """
from torch import nn
class Block(nn.Module):
    def __init__(self, wide: int, act=nn.Tanh()):
        super(Block, self).__init__()
        self.layer = nn.Linear(3, wide)
        self.act = act
    def forward(self, x: torch.Tensor):
        return self.act(self.layer(x))
class Net(torch.nn.Module):
    'Two blocks.'
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(3) for _ in range(2)])
        self.scale = nn.Parameter(torch.randn(3) * 0.5)
        self.last = nn.Sequential(nn.Linear(3, 2, bias=False), nn.ReLU())
    def scaled(self, h):
        return h * self.scale
    def forward(self, x):
        h = x
        for block in self.blocks:
            h = h + block(h)
        return self.last(self.scaled(h))
torch.manual_seed(1)
net = Net()
out = nn.MSELoss()(net(x + torch.rand(3)), torch.ones(2))
"""
SHOWN += [MODULE, "m = torch.nn.Linear(3, 1)\nout = m(x).sum()"]
SHOWN += [SETUP, FUNCTION, FUNCTION.replace("class Scale(Function)", "class Scale(torch.autograd.Function)")]
# What a Function makes itself, it may write to; no_grad() around what is not recorded anyway says nothing.
OWN = [
    ("y = torch.exp(t)", "y = t.clone()\n        y.exp_()\n        y *= 1\n        y[0] *= 1"),
    ("y = torch.exp(t)", "made, k = [], 0\n        for r in t:\n            made.append(r.exp())\n            k += 1\n"
     "        y = torch.stack(made[::-1][::-1])"),
    ("y = torch.exp(t)", "t = t.clone()\n        t += 1\n        y = torch.exp(t - 1)"),
    ("y = torch.exp(t)", "with torch.no_grad():\n            y = torch.exp(t)"),
    ("factor):", "factor, power=2):"),
    ("    @staticmethod\n    def backward", "    @staticmethod\n    @torch.autograd.function.once_differentiable\n"
     "    def backward"),
    ("y, = ctx.saved_tensors", "y, = ctx.saved_tensors\n        g = g.clone()\n        g[0] += 0.5 * g[0]"),
    ("return g * y", "with torch.enable_grad():\n            z = y.detach().clone().requires_grad_(True)\n"
     "            g, = torch.autograd.grad(torch.sin(z), z, g, retain_graph=False)\n        return g * y"),
]  # fmt: skip
SHOWN += [FUNCTION.replace(*change) for change in OWN]
# Functions that use other numbers than they are given, or do more than to compute, as far as their names tell.
MORE = [
    ("torch.exp(t)", "torch.exp(t) * x"),
    ("torch.exp(t)", "torch.exp(t.detach())"),
    ("torch.exp(t)", "torch.exp(t if t.sum() > 0 else -t)"),
    ("torch.exp(t)", "torch.exp(t)\n        t.mul_(2)"),
    ("torch.exp(t)", "torch.exp(t)\n        t *= 2"),
    ("torch.exp(t)", "torch.exp(t)\n        Scale.x = t"),
    ("torch.exp(t)", "torch.exp(t)\n        for r in t:\n            r *= 2"),
    ("torch.exp(t)", "torch.exp(t)\n        z = [t, t]\n        z[0] *= 2"),
    ("torch.exp(t)", "torch.exp(t)\n        z = t.view(-1)\n        z[0] = 2"),
    ("torch.exp(t)", "torch.exp(t)\n        t += 1\n        t = t.clone()"),
    ("torch.exp(t)", "torch.exp(t)\n        kept.append(t)"),
    ("g * y * ctx.factor", "g * y * ctx.factor\n        y *= 2"),
    ("g * y", "g * y.requires_grad_()"),
    ("g * y", "g * y.detach()"),
    ("g * y", "g * torch.autograd.grad(y, y, grad_outputs=g)[0]"),
    ("torch.exp(t)", "torch.exp(t.detach().requires_grad_())"),
    ("y, = ctx.saved_tensors", "y, = ctx.saved_tensors\n        g = g.contiguous()\n        g[0] *= 2"),
    ("ctx.factor = factor", "ctx.made = []\n        ctx.made.append(1)"),
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
# Modules that have a state, draw, or do more than to compute, as far as their names tell.
STATEFUL = [
    ("h = x\n", "h = x\n        self.calls += 1\n"),
    ("h = x\n", "h = x\n        self.calls = 1\n"),
    ("h = x\n", "h = x\n        self.cache.append(x)\n"),
    ("h = x\n", "h = x\n        self.mean.mul_(0.9).add_(x.mean())\n"),
    ("h = x\n", "h = x\n        self.mean[0] = x.mean()\n"),
    ("h = x\n", "h = x\n        self.mean.copy_(x)\n"),
    ("h = x\n", "h = x + torch.randn(3)\n"),
    ("h = x\n", "h = x.detach() * x\n"),
    ("h = x\n", "h = x if self.training else -x\n"),
    ("h = x\n", "h = x if x.sum() > 0 else -x\n"),
    ("h = x\n", "h = x\n        self = x\n        h = self.scale.data\n"),
    ("h = x\n", "h = x\n        self = h * 2\n"),
    ("h = x\n", "h = x * x.sum().item()\n"),
    ("h = x\n", "global n\n        n = x\n        h = x\n"),
    ("h = x\n", "h = x\n        print(f'{x}')\n"),
    ("    'Two blocks.'\n", "    calls = []\n"),
    ("    'Two blocks.'\n", "    def __call__(self, x):\n        return x * 2\n"),
    ("    'Two blocks.'\n", "    def parameters(self):\n        return []\n"),
    ("    'Two blocks.'\n", "    @property\n    def two(self):\n        return 2\n"),
    ("class Net(torch.nn.Module)", "class Net(Block)"),
    ("class Net", "@torch.no_grad()\nclass Net"),
    ("nn.ReLU()", "nn.Dropout(0.5)"),
    ("nn.ReLU()", "nn.BatchNorm1d(2)"),
    ("nn.ReLU()", "nn.ReLU(True)"),
    ("nn.ReLU()", "nn.ReLU(inplace=True)"),
    ("nn.ReLU()", "nn.ReLU(*[True])"),
    ("nn.ReLU()", "nn.LSTM(2, 2, 2, True, False, 0.5)"),
    ("nn.ReLU()", "nn.TransformerEncoderLayer(2, 1)"),
    ("nn.ReLU()", "nn.utils.spectral_norm(nn.Linear(2, 2))"),
    ("torch.randn(3) * 0.5", "x"),
    ("torch.randn(3) * 0.5", "torch.randn(3) * x"),
    ("self.scale = nn.Parameter", "self.register_buffer('mean', torch.zeros(3))\n        self.scale = nn.Parameter"),
    ("self.scale = nn.Parameter", "self.training = False\n        self.scale = nn.Parameter"),
    ("self.scale = nn.Parameter", "self.data = nn.Tanh()\n        x = self.blocks\n        x.n = nn.Parameter"),
    ("net = Net()", "net = Net()\nnet.register_forward_hook(lambda m, i, o: o * 2)"),
    ("net = Net()", "net = Net()\nnet.eval()"),
    ("net = Net()", "net = Net()\nnet.forward = lambda x: x.sum()"),
    ("net = Net()", "net = Net()\nwith torch.no_grad():\n    net(x)"),
    ("from torch import nn", "import torch.nn as nn\nfrom torch.nn import ReLU as Linear"),
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
    "class A:\n    n = 0\nout = x.sum() * A.n",
    "import math\nout = x.sum() * math.sin(x[0])",
    "y = x * 2\nx.register_hook(lambda g: g * 2)\nout = y.sum()",
]


@pytest.mark.parametrize("text", SHOWN)
def test_what_names_only_ops_is_known_without_a_second_run(text: str) -> None:
    assert of_program(program(HEAD + text), act=shows_all)


def test_what_a_module_keeps_or_draws_is_seen_by_another_run() -> None:
    for change in STATEFUL:
        assert change[0] in MODULE, change
        assert not names_only_ops(program(HEAD + MODULE.replace(*change)).tree) or not _is_shown(change), change


def _is_shown(change: tuple[str, str]) -> bool:
    """Tell of what has only such names, whether it is known by what was noted while it ran."""
    return of_program(program(HEAD + MODULE.replace(*change)), act=shows_all)


def test_what_may_leave_its_graph_is_run_again() -> None:
    for text in NOT_SHOWN:
        assert text != FUNCTION
        made = program(HEAD + text)
        if not names_only_ops(made.tree):
            continue
        # What has only such names is known by what was noted while it ran.
        assert not of_program(made, act=shows_all), text


def test_a_function_behind_the_door_of_classes_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    is_op = only_ops._is_op.__wrapped__
    for name, known in (("tanh", True), ("detach", False)):
        assert is_op(name) is known
        monkeypatch.setattr(Tensor, name, overriding._dressed(getattr(Tensor, name), "Tensor", name))
        assert is_op(name) is known
