"""Logistic regression on eight points, with the update written by hand.

The parameters are moved under no_grad, since moving them is no part of the model. What is learned
is a line between the classes; the probabilities say how far from it a point lies.
"""

import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, 2.0], [2.0, 3.0], [0.5, 1.5], [1.5, 3.5], [3.0, 1.0], [4.0, 2.0], [3.5, 0.5], [2.0, 0.5]])
t = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros((), requires_grad=True)

for step in range(101):
    loss = F.binary_cross_entropy_with_logits(x @ w + b, t)
    loss.backward()
    if step % 25 == 0:
        print(f"step {step:3d}  loss {loss.item():.4f}  w = ({w[0]:+.3f}, {w[1]:+.3f})  b = {b:+.3f}")
    with torch.no_grad():
        for parameter in (w, b):
            parameter -= 0.5 * parameter.grad
            parameter.grad = None

with torch.no_grad():
    probability = torch.sigmoid(x @ w + b)
print("class 1 with probability", probability)
print("right:", ((probability > 0.5) == t.bool()).sum().item(), "of", len(t))
