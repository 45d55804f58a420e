# A gradient asked for an input that plays no part.
import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
grads = torch.autograd.grad(
    a * 2,
    [a, b],
)
