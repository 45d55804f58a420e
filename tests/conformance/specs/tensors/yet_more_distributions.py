"""Distributions, their draws and what else they tell."""

import torch
from torch import distributions as D

torch.manual_seed(0)
for d in [
    D.Cauchy(0.0, 1.0),
    D.Gumbel(1.0, 2.0),
    D.HalfNormal(2.0),
    D.HalfCauchy(1.0),
    D.Geometric(torch.tensor([0.3])),
    D.StudentT(3.0),
    D.Weibull(1.0, 2.0),
    D.Pareto(1.0, 3.0),
    D.Binomial(5, torch.tensor([0.3])),
    D.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.3])),
    D.Multinomial(4, torch.tensor([0.2, 0.8])),
]:
    v = torch.tensor([1.5, 2.0]) if not isinstance(d, (D.Geometric, D.Binomial)) else torch.tensor([1.0, 3.0])
    if isinstance(d, D.RelaxedBernoulli):
        v = torch.tensor([0.2, 0.7])
    if isinstance(d, D.Multinomial):
        v = torch.tensor([1.0, 3.0])
    print(type(d).__name__, d.log_prob(v), d.mean if not isinstance(d, D.RelaxedBernoulli) else None)
print(
    D.Gumbel(0.0, 1.0).sample((2,)),
    D.Cauchy(0.0, 1.0).sample((2,)),
    D.HalfNormal(1.0).rsample((2,)),
    D.Geometric(0.4).sample((3,)),
)
print(D.Weibull(1.0, 2.0).rsample((2,)), D.Pareto(1.0, 3.0).sample((2,)))
torch.manual_seed(1)
print(
    D.Multinomial(5, torch.tensor([0.2, 0.3, 0.5])).sample(),
    D.Multinomial(5, torch.tensor([0.2, 0.8])).sample((2,)),
    D.RelaxedBernoulli(torch.tensor(0.5), logits=torch.tensor([0.3, 1.0])).rsample(),
)
print(
    D.OneHotCategoricalStraightThrough(torch.tensor([0.2, 0.8])).rsample(),
    D.StudentT(torch.tensor([1.0, 2.0, 4.0])).variance,
    D.Cauchy(torch.zeros(2), 1.0),
    D.Geometric(0.3),
    D.Binomial(3, 0.5).mean,
)
mu = torch.tensor(1.0, requires_grad=True)
D.Gumbel(mu, 1.0).rsample().backward()
print(mu.grad, D.HalfNormal(2.0).entropy(), D.Cauchy(0.0, 2.0).entropy(), D.Geometric(torch.tensor(0.3)).entropy())
torch.manual_seed(2)
logits = torch.tensor([[1.0, 2.0, 0.5], [0.1, 0.1, 3.0]], requires_grad=True)
y = torch.nn.functional.gumbel_softmax(logits, tau=0.5)
print(y, y.sum(-1))
hard = torch.nn.functional.gumbel_softmax(logits, tau=1, hard=True)
print(hard)
(hard * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(logits.grad)
q = D.OneHotCategorical(logits=logits.detach())
print(q.sample(), q.mean, q.log_prob(torch.eye(3)[:2]), q.entropy())
r = D.RelaxedOneHotCategorical(torch.tensor(0.7), logits=logits.detach())
s = r.rsample()
print(s, r.log_prob(s))
print(D.kl_divergence(D.Categorical(logits=logits), D.Categorical(logits=torch.zeros(2, 3))))
