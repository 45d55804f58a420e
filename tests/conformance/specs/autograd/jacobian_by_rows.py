# A Jacobian, one row at a time.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def f(x):
    return torch.stack([x[0] * x[1], x[1] ** 2 + x[2], torch.exp(x[2] - 3) * x[0], x.sum()])


y = f(x)
rows = []
for i in range(len(y)):
    row = torch.autograd.grad(y[i], x, retain_graph=True)[0]
    rows.append(row)
J = torch.stack(rows)
print(J)
print(J.shape)
print(torch.allclose(J, torch.autograd.functional.jacobian(f, x)))
