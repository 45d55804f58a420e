"""Distributions whose numbers are drawn until one fits, and how far they are apart."""

import torch
import torch.distributions as D

torch.manual_seed(0)
w = torch.tensor(0.7, requires_grad=True)
for drawn in [
    D.Gamma(torch.tensor([0.5, 2.0, 9.0]), 1.5), D.Beta(torch.tensor(2.0), torch.tensor(3.0)),
    D.Dirichlet(torch.tensor([0.5, 1.0, 4.0])), D.Poisson(torch.tensor([0.0, 0.5, 3.0, 20.0, 1e5])),
    D.Binomial(10, torch.tensor([0.0, 0.2, 0.5, 0.9, 1.0])), D.Binomial(300.0, torch.tensor([0.1, 0.6])),
    D.StudentT(torch.tensor(3.0)), D.Chi2(torch.tensor([1.0, 9.0])),
    D.FisherSnedecor(torch.tensor(3.0), torch.tensor(5.0)),
    D.NegativeBinomial(5.0, torch.tensor([0.4, 0.1])), D.InverseGamma(torch.tensor(3.0), torch.tensor(2.0)),
    D.Gamma(torch.tensor(2.0, dtype=torch.float64), 3.0),
]:  # fmt: skip
    value = drawn.sample((3,))
    print(drawn, value, drawn.log_prob(value), drawn.mean, drawn.variance)
mixture = D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Gamma(torch.tensor([1.0, 5.0]), 2.0))
print(mixture.sample((4,)), torch.poisson(torch.tensor([1.0, 50.0])))
print(torch.binomial(torch.tensor([9.0]), torch.tensor([0.3])))
scaled = D.Gamma(torch.tensor([2.0, 3.0]), w).rsample()
scaled.sum().backward()
print(scaled, w.grad, torch.rand(1))
counts = torch.poisson(w.exp().expand(2))
print(counts, torch.autograd.grad(counts.sum(), w))
for distribution in (D.InverseGamma(torch.tensor(3.0), 2.0), D.StudentT(3.0), D.Gamma(2.0, 3.0)):
    print(distribution.entropy())

total = torch.zeros(())
for p, q in [
    (D.Gamma(2.0, 1.0), D.Gamma(3.0, w)), (D.Beta(2.0, 1.0), D.Beta(3.0, w)),
    (D.Dirichlet(torch.ones(3)), D.Dirichlet(torch.tensor([1.0, 2.0, 3.0]))), (D.Exponential(1.0), D.Exponential(w)),
    (D.Poisson(2.0), D.Poisson(w)), (D.Laplace(0.0, 1.0), D.Laplace(w, 2.0)),
    (D.Uniform(0.0, 1.0), D.Uniform(-1.0, 2.0)),
    (D.MultivariateNormal(torch.zeros(2), torch.eye(2)), D.MultivariateNormal(torch.ones(2), 2 * torch.eye(2))),
    (D.Independent(D.Normal(torch.zeros(3), 1.0), 1), D.Independent(D.Normal(torch.ones(3), w), 1)),
    (D.LogNormal(0.0, 1.0), D.LogNormal(w, 2.0)), (D.Geometric(0.3), D.Geometric(0.5)),
    (D.Normal(0.0, 1.0), D.Normal(w, 2.0)),
    (D.OneHotCategorical(torch.tensor([0.2, 0.8])), D.OneHotCategorical(torch.tensor([0.5, 0.5]))),
]:  # fmt: skip
    apart = D.kl_divergence(p, q)
    total = total + apart.sum()
    print(type(p).__name__, apart)
total.backward()
print(w.grad)
for wrong in (
    lambda: torch.poisson(torch.tensor([-1.0])), lambda: torch.poisson(torch.tensor([1])),
    lambda: torch.binomial(torch.tensor([1]), torch.tensor([0.2])),
    lambda: torch.binomial(torch.tensor([1.0]), torch.tensor([0.2], dtype=torch.float64)),
):  # fmt: skip
    try:
        wrong()
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
