# Gradient as an ordinary value: clip, normalise, compare.
import torch

x = torch.tensor([3.0, -40.0, 0.5], requires_grad=True)
(g,) = torch.autograd.grad((x ** 2).sum(), [x])
print(type(g), g.requires_grad, x.grad)
print(g.clamp(-1, 1))
print(g / g.norm())
print(g.abs().max(), g.abs().argmax().item())
print(["up" if v < 0 else "down" for v in g])
steps = [x - lr * g for lr in (0.1, 0.5)]
print(*steps, sep="\n")
