"""Gradient descent with momentum, by hand and with the library: the same steps.

The valley is a hundred times steeper across than along. Without momentum the steep direction sets
the pace for both; the velocity remembers the shallow one.
"""

import torch


def valley(p):
    return 0.5 * (100 * p[0] ** 2 + p[1] ** 2)


def descend(momentum, steps=60, lr=0.015):
    p = torch.tensor([1.0, 1.0], requires_grad=True)
    velocity = torch.zeros(2)
    for _ in range(steps):
        p.grad = None
        valley(p).backward()
        velocity = momentum * velocity + p.grad
        with torch.no_grad():
            p -= lr * velocity
    return p


plain = descend(momentum=0.0)
by_hand = descend(momentum=0.8)

p = torch.tensor([1.0, 1.0], requires_grad=True)
optimizer = torch.optim.SGD([p], lr=0.015, momentum=0.8)
for _ in range(60):
    loss = valley(p)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for name, end in (("plain", plain), ("by hand", by_hand), ("library", p)):
    print(f"{name:<8} valley = {valley(end).item():.2e}")
print("by hand and the library end at the same point:", torch.allclose(p, by_hand))
