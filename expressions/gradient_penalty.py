"""A gradient penalty: a loss made of gradients.

The critic is asked to have slope one at every sample. Its gradient with respect to the samples is
taken with create_graph=True, so the penalty can be differentiated again, now for the weights.
"""

import torch
import torch.nn as nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(critic.parameters(), lr=0.2)

angle = torch.linspace(0, 5, 6)
samples = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1).requires_grad_()


def slopes():
    (gradient,) = torch.autograd.grad(critic(samples).sum(), samples, create_graph=True)
    return gradient.norm(dim=1)


for step in range(201):
    penalty = ((slopes() - 1) ** 2).mean()
    optimizer.zero_grad()
    penalty.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d}  penalty {penalty.item():.5f}")
print("slopes:", slopes().detach())
