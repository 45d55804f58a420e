"""Six distributions that few programs draw from."""

import torch
from torch.distributions import *

torch.manual_seed(0)
for d, vs in (
    (VonMises(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 4.0])), torch.tensor([0.3, -0.2])),
    (VonMises(0.0, 2.0), torch.tensor(1.0)),
    (Kumaraswamy(torch.tensor([2.0, 0.5]), torch.tensor([3.0, 1.5])), torch.tensor([0.3, 0.6])),
    (ContinuousBernoulli(torch.tensor([0.2, 0.5, 0.8])), torch.tensor([0.1, 0.5, 0.9])),
    (ContinuousBernoulli(logits=torch.tensor([0.2, -0.5])), torch.tensor([0.1, 0.9])),
    (
        LowRankMultivariateNormal(
            torch.zeros(3), torch.tensor([[1.0, 0.5], [0.2, 0.1], [0.3, 1.0]]), torch.tensor([1.0, 2.0, 3.0])
        ),
        torch.tensor([0.1, 0.2, 0.3]),
    ),
    (LKJCholesky(3, 1.5), torch.linalg.cholesky(torch.tensor([[1.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.0]]))),
    (
        Wishart(torch.tensor(4.0), covariance_matrix=torch.tensor([[2.0, 0.3], [0.3, 1.0]])),
        torch.tensor([[3.0, 0.5], [0.5, 2.0]]),
    ),
):
    print(d, d.batch_shape, d.event_shape, d.has_rsample)
    print(d.sample().shape, d.sample((4,)).shape)
    print(d.sample())
    print(d.sample((2,)))
    print(d.log_prob(vs))
    for n in ("mean", "variance", "stddev", "entropy"):
        try:
            v = getattr(d, n)
            print(n, v() if callable(v) else v)
        except Exception as e:
            print(n, type(e).__name__)
    try:
        d.log_prob(vs - 3)
    except ValueError as e:
        print(str(e)[:120])
m = torch.zeros(3, requires_grad=True)
d = LowRankMultivariateNormal(m, torch.ones(3, 1), torch.ones(3))
d.rsample().sum().backward()
print(m.grad)
