"""Gradient clipping: a long gradient is shortened, its direction stays.

All parameters count as one long vector. Here its length is brought to one, by hand and then with the
library, which also returns the length it found.
"""

import torch
import torch.nn as nn

w = torch.tensor([[3.0, -2.0], [1.0, 4.0]], requires_grad=True)
b = torch.tensor([0.5, -0.5], requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])

loss = ((x @ w + b) ** 2).mean()
loss.backward()
print("before:", w.grad.flatten(), b.grad)

length = torch.sqrt(sum((p.grad**2).sum() for p in (w, b)))
shorter = [p.grad / length for p in (w, b)]
found = nn.utils.clip_grad_norm_([w, b], max_norm=1.0)
print("after: ", w.grad.flatten(), b.grad)

print(f"length by hand {length.item():.4f}, the library's {found.item():.4f}")
print("same gradients:", all(torch.allclose(p.grad, s, atol=1e-5) for p, s in zip((w, b), shorter)))
