"""The sum of exponentials, in a logarithm: too large on the way, harmless at the end.

exp(1000) does not fit a float, so the formula as written gives infinity and a gradient of nan. With
the largest score taken out first nothing overflows. The gradient of either is softmax.
"""

import torch


def naive(x):
    return torch.log(torch.exp(x).sum())


def stable(x):
    largest = x.max().detach()
    return largest + torch.log(torch.exp(x - largest).sum())


small = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
large = torch.tensor([1000.0, 1001.0, 1002.0], requires_grad=True)

print(f"small: naive {naive(small).item():.4f}, stable {stable(small).item():.4f}")
print(f"large: naive {naive(large).item():.4f}, stable {stable(large).item():.4f}")
print("naive gradient:", torch.autograd.grad(naive(large), large)[0])

y = stable(large)
y.backward()
print("stable:        ", large.grad)
print("softmax:       ", torch.softmax(large, dim=0).detach())
print("in the library:", torch.allclose(torch.logsumexp(large, dim=0), y))
