# The error when no input asked for a gradient.
import torch

x = torch.tensor([1.0, 2.0])
loss = (x ** 2).mean()
print(loss.requires_grad, loss.grad_fn)
try:
    loss.backward()
except RuntimeError as error:
    print("RuntimeError:", error)

with torch.no_grad():
    w = torch.ones(2, requires_grad=True)
    hidden = (w * x).sum()
print(w.requires_grad, hidden.requires_grad)
try:
    hidden.backward()
except RuntimeError as error:
    print("RuntimeError:", error)
