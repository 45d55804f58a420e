import torch
from torch.distributions import (
    Beta,
    Categorical,
    Dirichlet,
    Gamma,
    Independent,
    MixtureSameFamily,
    Normal,
    Poisson,
    TransformedDistribution,
)

a = torch.tensor([0.5, 2.0, 3.0], requires_grad=True)
b = torch.tensor([1.0, 1.25, 2.0])
for d, x in [(Beta(a, b), torch.tensor([0.25, 0.5, 0.75])),
             (Gamma(a, b), torch.tensor([0.2, 1.5, 2.7])),
             (Dirichlet(a), torch.tensor([0.2, 0.5, 0.3])),
             (Poisson(b), torch.tensor([0.0, 1.0, 3.0]))]:
    print(d, d.mean, d.variance, d.stddev, d.log_prob(x), d.batch_shape, d.event_shape)
    if not isinstance(d, Poisson):
        print(d.entropy())
d = MixtureSameFamily(Categorical(torch.ones(3)), Normal(a, b))
print(d, d.mean, d.variance, d.log_prob(torch.tensor([1.0, 2.0])))
d.log_prob(torch.tensor(1.0)).backward()
print(a.grad)
torch.manual_seed(0)
print(d.sample((4,)))
from torch.distributions import transforms as T
from torch.distributions.transforms import AffineTransform, ExpTransform, SigmoidTransform, TanhTransform

t = TransformedDistribution(Normal(0.0, 1.0), [AffineTransform(1.0, 2.0), ExpTransform()])
print(t.log_prob(torch.tensor(2.0)), t.sample(), t.rsample((2,)), t)
t = TransformedDistribution(Normal(torch.zeros(3), torch.ones(3)), TanhTransform(cache_size=1))
print(t.log_prob(torch.tensor([0.1, 0.2, 0.3])), t.rsample())
t = TransformedDistribution(Normal(torch.zeros(3), torch.ones(3)), SigmoidTransform())
print(t.log_prob(torch.tensor([0.1, 0.2, 0.3])))
