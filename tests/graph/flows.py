"""Programs whose gradients flow through calls and turns of loops; PyTorch runs each as it stands."""

from __future__ import annotations

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
