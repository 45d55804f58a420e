# Modules inside modules, and the names this makes.
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return x + torch.relu(self.linear(self.norm(x)))


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.heads = nn.ModuleDict({"mean": nn.Linear(width, 1), "scale": nn.Linear(width, 1)})

    def forward(self, x, head="mean"):
        for block in self.blocks:
            x = block(x)
        return self.heads[head](x)


torch.manual_seed(3)
tower = Tower(4, 2)
print(tower)
for name, module in tower.named_modules():
    if name and "." not in name:
        print("child:", name, type(module).__name__)
print([n for n, p in tower.named_parameters() if p.dim() == 2])
x = torch.linspace(-1, 1, 8).view(2, 4)
print(tower(x).shape, tower(x, head="scale").shape)
print(list(tower.heads.keys()), len(tower.blocks))
