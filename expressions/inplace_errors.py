"""Two in-place changes that PyTorch refuses, and what to write instead.

The derivative of exp needs its own result; add_ has overwritten it, and the graph notices. A leaf
that is being recorded cannot change at all: its gradient would belong to a value that is gone.
"""

import torch

x = torch.tensor([0.5, 1.0], requires_grad=True)

y = torch.exp(x)
y.add_(1)
try:
    y.sum().backward()
except RuntimeError as error:
    print("overwritten:", str(error).split(":")[0])

try:
    x.mul_(2)
except RuntimeError as error:
    print("leaf:", error)

# Cures: a new value in place of the old one, and a step that is not recorded.
y = torch.exp(x) + 1
loss = y.sum()
loss.backward()
print("cured:", x.grad)
with torch.no_grad():
    x -= 0.1 * x.grad
print("moved:", x)
