"""Programs whose gradients flow through calls and turns of loops, and what hooks measure of them in PyTorch.

``python -m tests.graph.flows`` writes what it measures.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("flows.json")

# By the class of modules, the lengths of the gradient in and out of each call.
Lengths = dict[str, list[tuple[float, float]]]

_HEAD = (
    "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
    "torch.set_default_dtype(torch.float64)\ntorch.manual_seed(0)\n"
)

PROGRAMS = {
    "sigmoids": """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.act = nn.Sigmoid()
    def forward(self, x):
        return self.act(self.fc(x))
net = nn.Sequential(*[Block() for _ in range(8)], nn.Linear(8, 1))
x = torch.randn(4, 8)
loss = net(x).pow(2).sum()
loss.backward()
""",
    "residual": """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(6)
        self.up = nn.Linear(6, 12)
        self.down = nn.Linear(12, 6)
    def forward(self, x):
        h = self.norm(x)
        return x + self.down(F.gelu(self.up(h)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(3)])
        self.out = nn.Linear(6, 2)
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(x)
net = Net()
x = torch.randn(5, 6, requires_grad=True)
loss = F.cross_entropy(net(x), torch.tensor([0, 1, 1, 0, 1]))
loss.backward()
""",
    "attention": """
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        return F.softmax(q @ k.transpose(-2, -1) / 2, dim=-1) @ v
net = nn.Sequential(Attention(), nn.Tanh(), Attention())
loss = net(torch.randn(2, 3, 4)).mean()
loss.backward()
""",
    "shared": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)
        self.act = nn.Tanh()
        self.heads = nn.ModuleList([nn.Linear(3, 2), nn.Linear(3, 1)])
    def forward(self, x):
        for _ in range(4):
            x = self.act(self.cell(x)) + 0.1 * x
        return tuple([head(x) for head in self.heads])
net = Net()
a, b = net(torch.randn(2, 3))
loss = a.sum() + b.pow(2).sum()
loss.backward()
""",
    "convolutions": """
net = nn.Sequential(
    nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3),
)
loss = F.nll_loss(F.log_softmax(net(torch.randn(2, 1, 8, 8)), dim=1), torch.tensor([2, 0]))
loss.backward()
""",
    "used twice inside and outside": """
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, x):
        h = self.fc(x)
        return h, torch.sin(h) * x
net = Two()
x = torch.randn(2, 3, requires_grad=True)
h, s = net(x)
loss = (h * s).sum() + x.sum()
loss.backward()
""",
}  # fmt: skip

TURNS = """
W = (torch.randn(4, 4) * 0.25).requires_grad_()
h = torch.ones(4, requires_grad=True)
for t in range(30):
    h = torch.tanh(W @ h)
loss = h.sum()
loss.backward()
"""


def program(text: str) -> str:
    """A whole program."""
    return _HEAD + text


# -- in PyTorch --------------------------------------------------------------------------------


def length(grads: Any) -> float:
    """The length of the gradients that a hook is given."""
    return math.hypot(*[float(grad.norm()) for grad in grads if grad is not None])


def of_modules(text: str, torch: Any) -> Lengths:
    """What full backward hooks see of each call of a module, by class."""
    found: Lengths = {}

    def hooked(module: Any, passed: Any, arrived: Any) -> None:
        found.setdefault(type(module).__name__, []).append((length(arrived), length(passed)))

    handle = torch.nn.modules.module.register_module_full_backward_hook(hooked)
    try:
        _run(text, torch)
    finally:
        handle.remove()
    return {cls: sorted(found[cls]) for cls in sorted(found)}


def of_turns(text: str, torch: Any) -> list[float]:
    """The gradients of the states that the turns of a loop leave, which each keeps."""
    noted = text.replace("W @ h)\n", "W @ h)\n    h.retain_grad()\n    states.append(h)\n")
    return [float(h.grad.norm()) for h in _run("states = []\n" + noted, torch)["states"]]


def _run(text: str, torch: Any) -> dict[str, Any]:
    dtype = torch.get_default_dtype()
    variables: dict[str, Any] = {"__name__": "flow"}
    try:
        exec(compile(text, "<flow>", "exec"), variables)
    finally:
        torch.set_default_dtype(dtype)
    return variables


def main() -> None:
    """Write what PyTorch measures now."""
    import torch

    found = {name: of_modules(program(text), torch) for name, text in PROGRAMS.items()}
    RECORDED.write_text(json.dumps({"modules": found, "turns": of_turns(program(TURNS), torch)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
