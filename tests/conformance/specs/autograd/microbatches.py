# Four small backward passes make one large gradient.
import torch

torch.manual_seed(0)
data = torch.randn(8, 3)
target = torch.randn(8)
w = torch.zeros(3, requires_grad=True)

loss = ((data @ w - target) ** 2).mean()
loss.backward()
full = w.grad.clone()

w.grad = None
for x, t in zip(data.split(2), target.split(2)):
    part = ((x @ w - t) ** 2).mean() / 4
    part.backward()
print(full)
print(torch.allclose(w.grad, full))
