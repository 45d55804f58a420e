# The first gradient anyone takes: a polynomial of one number.
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x ** 2 + 3 * x + 1
print("y =", y)
print(f"y is {y.item()}")

y.backward()
print("dy/dx =", x.grad)
print("by hand:", 2 * x.item() + 3)
print(x.grad == 2 * x + 3)
