# A residual block, and the gradient that passes by it.
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x) + x


torch.manual_seed(12)
block = Residual(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2))
nn.init.zeros_(block.body[2].weight)
nn.init.zeros_(block.body[2].bias)
x = torch.tensor([[1.0, -2.0]], requires_grad=True)
y = block(x)
print(y, torch.equal(x, y))
y.sum().backward()
print(x.grad)
print(block.body[0].weight.grad.abs().sum().item(), block.body[2].bias.grad)
