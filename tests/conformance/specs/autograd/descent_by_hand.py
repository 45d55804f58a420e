# Gradient descent on a bowl, without an optimizer.
import torch

target = torch.tensor([3.0, -1.0])
p = torch.zeros(2, requires_grad=True)
lr = 0.2
for step in range(25):
    loss = ((p - target) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        p -= lr * p.grad
        p.grad.zero_()
    if step % 8 == 0:
        print(f"{step:3d} {loss.item():9.5f} {[round(v, 4) for v in p.tolist()]}")
print(p)
