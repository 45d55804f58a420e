"""A normal distribution fitted by likelihood: the most likely parameters are the familiar ones.

The loss is the mean of -log p. Its minimum has mu at the mean of the data and sigma at their standard
deviation; the logarithm of sigma is learned, so that sigma stays positive.
"""

import math

import torch

data = torch.tensor([2.1, 3.4, 1.9, 4.2, 2.8, 3.1, 5.0, 2.5])
mu = torch.tensor(0.0, requires_grad=True)
log_sigma = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.Adam([mu, log_sigma], lr=0.1)

for step in range(81):
    z = (data - mu) / torch.exp(log_sigma)
    loss = (0.5 * z**2 + log_sigma + 0.5 * math.log(2 * math.pi)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step:2d}  loss {loss.item():.4f}  mu {mu.item():.3f}  sigma {math.exp(log_sigma.item()):.3f}")

print(f"mean {data.mean().item():.3f}, standard deviation {data.std(unbiased=False).item():.3f}")
