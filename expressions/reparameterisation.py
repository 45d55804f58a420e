"""The reparameterisation trick: a gradient through a random draw.

z = mu + sigma * noise has the wanted distribution, and the noise does not depend on the parameters.
So the mean of (z - 3)^2 over the draws can be differentiated; theory says 2 (mu - 3) and 2 sigma^2.
"""

import torch

torch.manual_seed(0)
mu = torch.tensor(1.0, requires_grad=True)
log_sigma = torch.tensor(-0.5, requires_grad=True)

sigma = torch.exp(log_sigma)
noise = torch.randn(4000)
z = mu + sigma * noise
print(f"drawn: mean {z.mean().item():.3f}, deviation {z.std().item():.3f}, wanted {sigma.item():.3f}")

loss = ((z - 3) ** 2).mean()
loss.backward()
print(f"loss         {loss.item():.3f}, expected {(mu.item() - 3) ** 2 + sigma.item() ** 2:.3f}")
print(f"d/dmu        {mu.grad.item():.3f}, expected {2 * (mu.item() - 3):.3f}")
print(f"d/dlog_sigma {log_sigma.grad.item():.3f}, expected {2 * sigma.item() ** 2:.3f}")
