# Integers have no gradient.
import torch

try:
    torch.tensor([1, 2, 3], requires_grad=True)
except RuntimeError as e:
    print(e)
n = torch.arange(3)
try:
    n.requires_grad_()
except RuntimeError as e:
    print(e)
x = n.float().requires_grad_()
(x * n).sum().backward()
print(x.grad, x.grad.dtype)
print((x > 1).requires_grad, x.argmax().requires_grad)
