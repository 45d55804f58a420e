# A value used in several places collects from all of them.
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x
for _ in range(10):
    y = y + x
print(y.item())
y.backward()
print(x.grad)

x.grad = None
y = x * x
z = y * y + y
z.backward()
print(x.grad, 4 * 27.0 + 2 * 3.0)
