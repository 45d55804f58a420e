# Gradients of trace, quadratic form, determinant and inverse.
import torch

A = torch.tensor([[2.0, 1.0], [0.5, 3.0]], dtype=torch.float64, requires_grad=True)
x = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)


def gradient(f, *args):
    return torch.autograd.grad(f(*args), args, allow_unused=True)


print(gradient(lambda A: (A @ A).trace(), A)[0])
gA, gx = gradient(lambda A, x: x @ A @ x, A, x)
print(torch.allclose(gA, torch.outer(x, x)), torch.allclose(gx, (A + A.T) @ x))
gd = gradient(torch.det, A)[0]
print(torch.allclose(gd, torch.det(A) * torch.inverse(A).T))
gl = gradient(torch.logdet, A)[0]
print(gl)
print(gradient(lambda A: torch.inverse(A).sum(), A)[0])
