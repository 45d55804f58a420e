"""The trap in torch.where: a branch not taken still spoils the gradient.

sin(x) / x is 1 at zero. where picks the 1, but backward still walks through the division by zero,
and what comes back is zero times infinity: nan. The cure is a harmless input for the branch that is
not taken.
"""

import torch

x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
one = torch.ones(3)

trapped = torch.where(x == 0, one, torch.sin(x) / x)
(g,) = torch.autograd.grad(trapped.sum(), x)
print("value:   ", trapped.detach())
print("gradient:", g)

safe = torch.where(x == 0, one, x)
cured = torch.where(x == 0, one, torch.sin(safe) / safe)
loss = cured.sum()
loss.backward()
print("cured:   ", x.grad)
print("same values:", torch.equal(trapped, cured))
