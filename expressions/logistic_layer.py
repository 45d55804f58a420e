# One linear layer under a logistic loss, recorded and not recorded.
import torch

x = torch.ones(5)
y = torch.zeros(3)
w = torch.arange(15.0).reshape(5, 3).div(15).sub(0.5).requires_grad_()
b = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)

z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(type(z.grad_fn).__name__, type(loss.grad_fn).__name__)

loss.backward()
print(w.grad)
print(b.grad)

with torch.no_grad():
    z = torch.matmul(x, w) + b
print(z.requires_grad, z.detach().requires_grad)
