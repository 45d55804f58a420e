"""The straight-through estimator: round on the way forward, pretend that nobody did on the way back.

The derivative of round is zero wherever it exists, so nothing before it could learn. The estimator
gives the gradient of the identity instead. That is a wish, and not the derivative.
"""
# gradcli: allow hidden-path

import torch

x = torch.tensor([0.2, 1.4, -0.7, 2.6], requires_grad=True)
weight = torch.tensor([1.0, -2.0, 0.5, 3.0])

(honest,) = torch.autograd.grad((x.round() * weight).sum(), x)
print("round:           ", honest)

rounded = x + (x.round() - x).detach()
loss = (rounded * weight).sum()
loss.backward()
print("forward:         ", rounded.detach())
print("straight through:", x.grad)
