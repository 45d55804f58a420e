import torch
from torch.distributions import Bernoulli, Categorical, Normal

torch.manual_seed(0)
n = Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
print(n, n.sample(), n.rsample((2,)), n.log_prob(torch.tensor([0.5, 0.5])), n.entropy(), n.mean, n.stddev)
c = Categorical(logits=torch.tensor([1.0, 2.0, 0.5]))
print(c, c.sample(), c.log_prob(torch.tensor(1)), c.entropy(), c.probs)
b = Bernoulli(torch.tensor([0.3, 0.8]))
print(b.sample(), b.log_prob(torch.tensor([1.0, 0.0])), b)
mu = torch.tensor(0.5, requires_grad=True)
d = Normal(mu, 1.0)
loss = -(d.log_prob(torch.tensor([1.0, 2.0]))).sum()
loss.backward()
print(mu.grad)
print(torch.distributions.kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)))
