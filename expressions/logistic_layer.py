"""One linear layer under a logistic loss, recorded and then not recorded.

The gradient is the one found on paper: dloss/dz = (sigmoid(z) - y) / 3, and every row of w gets it,
since every input is one. Under no_grad, or behind detach, the same numbers carry no history.
"""

import torch
import torch.nn.functional as F

x = torch.ones(5)
y = torch.zeros(3)
w = torch.arange(15.0).reshape(5, 3).div(15).sub(0.5).requires_grad_()
b = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)

z = torch.matmul(x, w) + b
loss = F.binary_cross_entropy_with_logits(z, y)
print("z is made by", z.grad_fn.name())
print("loss is made by", loss.grad_fn.name())

loss.backward()
print("w.grad:", w.grad)
print("b.grad:", b.grad)
print("on paper:", ((torch.sigmoid(z) - y) / 3).detach())

with torch.no_grad():
    silent = torch.matmul(x, w) + b
print("requires_grad:", z.requires_grad, silent.requires_grad, z.detach().requires_grad)
