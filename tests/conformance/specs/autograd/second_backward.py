# A second derivative by calling backward twice.
import torch

x = torch.tensor([0.5, 1.0], requires_grad=True)
y = torch.sin(x).sum()
y.backward(create_graph=True)
first = x.grad.clone()
print(first)
x.grad = None
first.sum().backward()
print(x.grad)
print(torch.allclose(x.grad, -torch.sin(x)))
