"""Newton's method in two dimensions: gradient, Hessian, one linear system a step.

The rows of the Hessian are gradients of the entries of the gradient. Near the minimum every step
doubles the number of right digits: watch the size of the gradient.
"""

import torch


def bowl(p):
    x, y = p
    return torch.exp(x + y) + torch.exp(-2 * x) + x**2 + 0.5 * y**2


p = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
for step in range(6):
    f = bowl(p)
    (gradient,) = torch.autograd.grad(f, p, create_graph=True)
    hessian = torch.stack([torch.autograd.grad(g, p, retain_graph=True)[0] for g in gradient])
    f.backward()
    print(f"step {step}  f = {f.item():.12f}  |gradient| = {p.grad.norm().item():.1e}")
    p = (p.detach() - torch.linalg.solve(hessian, p.grad)).requires_grad_()

print("Hessian at the minimum:")
print(hessian)
print("minimum at", p.detach())
