"""Distributions, transforms and divergences of a program's own, and what all distributions have."""

import copy

import torch
import torch.distributions as D
from torch.distributions import Distribution, Normal, Transform, constraints, kl_divergence, register_kl

torch.manual_seed(0)


class Tri(Distribution):
    arg_constraints = {"a": constraints.positive}
    support = constraints.interval(0.0, 1.0)
    has_rsample = True

    def __init__(self, a, validate_args=None):
        self.a = torch.as_tensor(a)
        super().__init__(self.a.size(), torch.Size([]), validate_args=validate_args)

    @property
    def mean(self):
        return self.a / 2

    def rsample(self, sample_shape=torch.Size()):
        return torch.rand(self._extended_shape(sample_shape)) * self.a

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return torch.log(2 * value)


t = Tri(torch.tensor([0.5, 1.0]))
print(t, type(t), t.sample((2,)), t.log_prob(torch.tensor([0.5, 0.2])), t.has_rsample, t.batch_shape)
try:
    Tri(-1.0)
except ValueError as e:
    print(e)


@register_kl(Tri, Normal)
def _kl(p, q):
    return p.a * q.loc


print(kl_divergence(t, Normal(2.0, 1.0)))


class Cube(Transform):
    domain = constraints.real
    codomain = constraints.real
    bijective = True
    sign = 1

    def _call(self, x):
        return x**3

    def _inverse(self, y):
        return y.sign() * y.abs() ** (1 / 3)

    def log_abs_det_jacobian(self, x, y):
        return torch.log(3 * x**2)


c = Cube(cache_size=1)
d = D.TransformedDistribution(Normal(torch.zeros(2), 1.0), [c, D.AffineTransform(1.0, 2.0)])
x = d.rsample()
print(
    d,
    x,
    d.log_prob(x),
    c.inv,
    c.inv.inv is c,
    d.cdf(torch.tensor([0.5, 2.0])),
    d.support,
    c == Cube(),
    Cube() == Cube(),
)
print(D.transform_to(constraints.positive), D.biject_to(constraints.simplex)(torch.zeros(2)))


class MyNormal(Normal):
    def log_prob(self, value):
        return super().log_prob(value) * 2


m = MyNormal(0.0, torch.tensor([1.0, 2.0]))
print(m, m.log_prob(torch.zeros(2)), m.expand((3, 2)), isinstance(m, Normal), MyNormal.__mro__[1])
loc = torch.zeros(2, requires_grad=True)
q = D.Independent(Normal(loc, torch.ones(2)), 1)
z = q.rsample((4,))
loss = -(q.log_prob(z)).mean() + kl_divergence(q, D.Independent(Normal(torch.ones(2), torch.ones(2)), 1)).sum()
loss.backward()
print(loc.grad, loss)
print(
    D.MultivariateNormal(torch.zeros(2), torch.eye(2)).sample(),
    D.Wishart(torch.tensor(4.0), torch.eye(2)).mean,
    D.LKJCholesky(3).sample(),
)
print(Normal.support, D.Uniform.support, constraints.is_dependent(D.Uniform.support), Normal(0.0, 1.0).__dict__)
print(copy.deepcopy(d), copy.deepcopy(m).scale)
print(
    D.VonMises(0.0, 1.0).sample((3,)),
    D.Poisson(torch.tensor(3.0)).sample((3,)),
    D.GeneralizedPareto(0.0, 1.0, 0.2).sample(),
)
print(
    D.Gumbel(0.0, 1.0).sample(), D.Weibull(1.0, 2.0).expand((2,)).sample(), D.HalfNormal(1.0).icdf(torch.tensor(0.3))
)
print(D.MixtureSameFamily(D.Categorical(torch.ones(2)), Normal(torch.zeros(2), torch.ones(2))).sample((2,)))
print(D.Beta(2.0, 3.0).mode, D.Binomial(3, torch.tensor(0.5)).enumerate_support())
print(
    D.Multinomial(4, torch.ones(3)).sample(), D.RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(2)).rsample()
)
print(D.Normal, D.kl.kl_divergence is kl_divergence, D.constraints.positive)
for k in (
    D.ContinuousBernoulli(0.3),
    D.Geometric(0.3),
    D.NegativeBinomial(3, 0.5),
    D.StudentT(3.0),
    D.Chi2(2.0),
    D.Dirichlet(torch.ones(2)),
    D.LogNormal(0.0, 1.0),
    D.Kumaraswamy(1.0, 2.0),
    D.Pareto(1.0, 2.0),
    D.FisherSnedecor(3.0, 5.0),
    D.Laplace(0.0, 1.0),
    D.Cauchy(0.0, 1.0),
    D.InverseGamma(1.0, 2.0),
    D.OneHotCategorical(torch.ones(3)),
    D.RelaxedBernoulli(torch.tensor(0.5), 0.4),
    D.LogisticNormal(torch.zeros(2), 1.0),
    D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)),
    D.HalfCauchy(1.0),
):
    s = k.sample((2,))
    print(k, s, k.log_prob(s), k.support)
try:
    D.Normal(0.0, 1.0).log_prob(3.0)
except ValueError as e:
    print(e)
