# Weight decay, as the optimizer does it and as a term of the loss.
import torch

x = torch.tensor([[1.0, 2.0], [0.0, -1.0]])
t = torch.tensor([1.0, 0.5])
decay, lr = 0.1, 0.05

a = torch.tensor([0.5, 0.5], requires_grad=True)
opt = torch.optim.SGD([a], lr=lr, weight_decay=decay)
for _ in range(10):
    opt.zero_grad()
    ((x @ a - t) ** 2).sum().backward()
    opt.step()

b = torch.tensor([0.5, 0.5], requires_grad=True)
for _ in range(10):
    loss = ((x @ b - t) ** 2).sum() + decay / 2 * b.pow(2).sum()
    (g,) = torch.autograd.grad(loss, b)
    with torch.no_grad():
        b -= lr * g
print(a)
print(b)
print(torch.allclose(a, b))
