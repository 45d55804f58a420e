# Leaves can be switched on and off; results cannot.
import torch

a = torch.randn(2, 2).zero_() + 1.5
print(a.requires_grad)
a = (a * 3) / (a - 1)
a.requires_grad_(True)
print(a.requires_grad, a.is_leaf)
b = (a * a).sum()
print(type(b.grad_fn).__name__)
try:
    b.requires_grad = False
except RuntimeError as e:
    print(e)
a.requires_grad = False
print((a * a).requires_grad)
