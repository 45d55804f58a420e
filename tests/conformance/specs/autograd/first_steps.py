# First steps: slopes, descent, and vectors of outputs.
import torch

x = torch.tensor([3.0], requires_grad=True)
history = []
for step in range(5):
    y = x**2 + 2 * x + 1
    y.backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
    x.grad.zero_()
    history.append(x.item())
print([round(h, 4) for h in history])
print(f"x = {x.item():.4f}, y = {y.item():.4f}")
w = torch.tensor(1.0)
w.requires_grad = True
l = (w * 2 - 4).abs()
l.backward()
print(w.grad, l.grad_fn, w.grad_fn, w.grad.requires_grad)
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
external_grad = torch.tensor([1.0, 1.0])
Q.backward(gradient=external_grad)
print(9 * a**2 == a.grad, -2 * b == b.grad)
x = torch.rand(5, 5)
y = torch.rand(5, 5)
z = torch.rand((5, 5), requires_grad=True)
print(f"Does `a` require gradients?: {(x + y).requires_grad}", f"Does `b` require gradients?: {(x + z).requires_grad}")
