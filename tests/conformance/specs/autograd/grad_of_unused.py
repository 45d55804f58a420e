# autograd.grad and the inputs that play no part.
import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
c = torch.tensor(3.0)
y = a ** 2

try:
    torch.autograd.grad(y, [a, b])
except RuntimeError as e:
    print(e)
y = a ** 2
print(torch.autograd.grad(y, [a, b], allow_unused=True))
y = a ** 2
try:
    torch.autograd.grad(y, c)
except RuntimeError as e:
    print(e)
print(a.grad, b.grad)
