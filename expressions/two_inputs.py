# A product of two sums: b is used twice, so its gradient has two parts.
import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)

c = a + b
d = b + 1
y = c * d

y.backward()
print(y)
print(f"dy/da = {a.grad}")
print(f"dy/db = {b.grad} = {d.item()} through c + {c.item()} through d")
