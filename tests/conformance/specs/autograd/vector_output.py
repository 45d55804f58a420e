# backward() wants a scalar, or the vector to multiply by.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError as err:
    print("RuntimeError:", err)

v = torch.tensor([1.0, 0.1, 0.01])
y.backward(v)
print(x.grad)

x.grad = None
y = x ** 2
y.backward(gradient=torch.ones_like(y))
print(x.grad)

x.grad = None
try:
    (x ** 2).backward(torch.ones(2))
except RuntimeError as err:
    print("RuntimeError:", err)
