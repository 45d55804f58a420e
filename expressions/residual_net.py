"""Residual blocks: x + f(x) lets the gradient pass, however deep the stack.

Two stacks of twelve layers with the same small weights. Plainly stacked, each layer shrinks what
comes back until nothing is left; with the shortcut the input still feels the loss.
"""

import torch
import torch.nn as nn


class Stack(nn.Module):
    def __init__(self, depth, shortcut):
        super().__init__()
        self.shortcut = shortcut
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            change = torch.tanh(layer(x))
            x = x + change if self.shortcut else change
        return x


x = torch.tensor([[0.5, -1.0, 0.8]], requires_grad=True)
for shortcut in (False, True):
    torch.manual_seed(0)
    model = Stack(depth=12, shortcut=shortcut)
    loss = (model(x) ** 2).mean()
    x.grad = None
    loss.backward()
    print("with shortcuts:" if shortcut else "plainly stacked:")
    print(f"  gradient at the input {x.grad.norm().item():.2e}")
    for i in (0, 11):
        print(f"  gradient of layer {i:2d}   {model.layers[i].weight.grad.norm().item():.2e}")

print("parameters:", sum(p.numel() for p in model.parameters()))
