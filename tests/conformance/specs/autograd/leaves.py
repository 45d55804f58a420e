# Which tensors are leaves, and which keep their gradient.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
loss = (h ** 2).sum()
loss.backward()
for name, t in {"x": x, "h": h, "loss": loss}.items():
    print(f"{name:>5}: leaf={t.is_leaf!s:5} requires_grad={t.requires_grad} retains_grad={t.retains_grad}")
print(x.grad, h.grad)
print(torch.zeros(1).is_leaf, torch.zeros(1).requires_grad)
