"""Values that a distribution never gives, and shapes that it has not."""

import torch
from torch.distributions import *

ds = [
    Exponential(torch.tensor([1.0, 2.0])),
    Laplace(0.0, 1.0),
    LogNormal(0.0, 1.0),
    Gamma(2.0, torch.tensor([1.0, 3.0])),
    InverseGamma(torch.tensor(2.0), torch.tensor(1.0)),
    Chi2(3.0),
    FisherSnedecor(2.0, 3.0),
    Poisson(2.0),
    Dirichlet(torch.ones(3)),
    Beta(2.0, 3.0),
    Cauchy(0.0, 1.0),
    Gumbel(0.0, 1.0),
    HalfNormal(1.0),
    HalfCauchy(1.0),
    Geometric(0.3),
    Binomial(5, torch.tensor([0.3, 0.4])),
    NegativeBinomial(3, torch.tensor(0.5)),
    StudentT(3.0),
    Weibull(1.0, 2.0),
    Pareto(1.0, 2.0),
    OneHotCategorical(torch.tensor([0.2, 0.3, 0.5])),
    Multinomial(3, torch.tensor([0.2, 0.8])),
    RelaxedBernoulli(torch.tensor(1.0), torch.tensor(0.5)),
    RelaxedOneHotCategorical(torch.tensor(1.0), torch.tensor([0.2, 0.8])),
    MultivariateNormal(torch.zeros(2), torch.eye(2)),
    Normal(torch.zeros(2), 1.0),
    Bernoulli(0.5),
    Categorical(torch.tensor([0.2, 0.8])),
    Uniform(0.0, 1.0),
    Independent(Normal(torch.zeros(2, 3), 1.0), 1),
    TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()]),
]
vals = [
    torch.tensor(-1.0),
    torch.tensor(0.5),
    torch.tensor([0.5, -2.0]),
    torch.tensor(float("nan")),
    torch.tensor([0.2, 0.3, 0.6]),
    torch.tensor([[1.0, 0.0]]),
    0.5,
    torch.ones(4),
    torch.tensor(7),
]
for d in ds:
    for v in vals:
        try:
            print(type(d).__name__, d.log_prob(v))
        except Exception as e:
            print(type(e).__name__, e)
for f in (
    lambda: Exponential(-1.0),
    lambda: Exponential(-1.0, validate_args=False).log_prob(torch.tensor(-2.0)),
    lambda: Gamma(0.0, 1.0),
    lambda: Normal(0.0, 1.0, validate_args=False).log_prob(torch.tensor(float("nan"))),
    lambda: Beta(1.0, 1.0, validate_args=False).log_prob(torch.tensor(2.0)),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
