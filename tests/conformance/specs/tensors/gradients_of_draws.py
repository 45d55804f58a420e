"""Gradients of draws by rejection: each keeps its place in the distribution."""

import torch
import torch.distributions as D


def shown(t):
    return [float(f"{x:.3g}") for x in t.flatten().tolist()]


for dtype in (torch.float32, torch.float64):
    for size in (0.05, 0.9, 3.0, 20.0, 1e4):
        torch.manual_seed(1)
        a = torch.full((2, 3), size, dtype=dtype)
        a[:, 1] = 0.5
        a.requires_grad_()
        for drawn in (torch._standard_gamma(a), D.Dirichlet(a).rsample(), D.Beta(a, a.flip(1)).rsample()):
            (gradient,) = torch.autograd.grad((drawn * torch.arange(6.0).reshape(2, 3)).sum(), a)
            print(shown(drawn), shown(gradient))
print(shown(torch._standard_gamma_grad(torch.tensor([9.0, 9.0, 9.0]), torch.tensor([8.9, 3.0, 20.0]))))
for concentration in (torch.tensor([2.0, 8.0, 8.0, 0.3]), torch.tensor([9.0, 90.0, 7.0, 30.0])):
    parts = torch.tensor([0.1, 0.45, 0.999, 0.9])
    print(shown(torch._dirichlet_grad(parts, concentration, concentration + 10)))

a = torch.tensor([0.5, 2.0], requires_grad=True)
drawn = torch._standard_gamma(a)
(gradient,) = torch.autograd.grad(drawn.sum(), a, create_graph=True)
for derivative in (lambda: gradient.sum(), lambda: torch._sample_dirichlet(a)[0]):
    try:
        torch.autograd.grad(derivative(), a)
    except RuntimeError as e:
        print(type(e).__name__, e)
print(drawn.grad_fn.name(), D.Dirichlet(a).rsample().grad_fn.name())

torch.manual_seed(0)
optimizer = torch.optim.Adam([a], 0.05)
for _ in range(30):
    q = D.Gamma(a.exp(), 1.5)
    x = q.rsample((4,))
    loss = (q.log_prob(x) - D.Gamma(2.0, 3.0).log_prob(x)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 4), shown(a.detach()))
