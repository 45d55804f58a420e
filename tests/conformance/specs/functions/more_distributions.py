import torch
from torch import distributions as D
from torch.distributions import Exponential, Independent, Laplace, LogNormal, MultivariateNormal, Normal
from torch.distributions.multivariate_normal import MultivariateNormal as Again

torch.manual_seed(0)
mu = torch.zeros(2, requires_grad=True)
L = torch.tensor([[1.0, 0.0], [0.5, 2.0]])
for m in (MultivariateNormal(mu, torch.eye(2) * 2), Again(mu, scale_tril=L),
          D.MultivariateNormal(mu, precision_matrix=L @ L.T)):
    print(m, m.batch_shape, m.event_shape, m.mean, m.variance, m.entropy())
    x = m.rsample((3,))
    print(x, m.log_prob(x), m.sample().requires_grad)
    m.log_prob(torch.ones(2)).backward()
    print(mu.grad)
    mu.grad = None
b = MultivariateNormal(torch.zeros(3, 2), torch.diag_embed(torch.tensor([[1.0, 2.0]] * 3)))
print(b, b.sample((2,)).shape, b.log_prob(torch.ones(3, 2)), b.entropy())
std = torch.ones(4, 3, requires_grad=True)
i = Independent(Normal(torch.zeros(4, 3), std), 1)
print(i, i.batch_shape, i.event_shape, i.log_prob(torch.ones(4, 3)), i.entropy(), i.rsample().shape)
i.log_prob(torch.ones(4, 3)).sum().backward()
print(std.grad[0])
for d in (Exponential(torch.tensor([1.0, 2.0])), Laplace(0.0, torch.tensor([1.0, 3.0])),
          LogNormal(torch.tensor([0.0]), 0.5)):
    print(d, d.sample((2,)), d.log_prob(torch.tensor([0.5])), d.entropy(), d.mean)
wrong = (
    lambda: Exponential(torch.tensor([-1.0])),
    lambda: MultivariateNormal(mu, -torch.eye(2)),
    lambda: MultivariateNormal(mu),
    lambda: Independent(Normal(0.0, 1.0), 1),
)
for f in wrong:
    try:
        f()
    except ValueError as e:
        print(e)
