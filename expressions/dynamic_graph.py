# The graph is what was run: a loop and a branch that depend on the values.
import torch


def collatz_like(x):
    steps = 0
    while x > 1:
        x = x / 2 if steps % 2 == 0 else x * 0.75 + 0.1
        steps += 1
    return x, steps


for start in (1.5, 3.0, 12.0):
    x = torch.tensor(start, requires_grad=True)
    y, steps = collatz_like(x)
    y.backward()
    print(f"{start}: {steps} steps, y = {y.item():.6f}, dy/dx = {x.grad.item():.6f}")
