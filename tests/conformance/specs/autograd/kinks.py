# relu, abs, clamp and where at their corners.
import torch
import torch.nn.functional as F

x = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0], requires_grad=True)
cases = {
    "relu": lambda t: F.relu(t),
    "abs": torch.abs,
    "clamp": lambda t: t.clamp(0, 1),
    "where": lambda t: torch.where(t > 0.5, t ** 2, -t),
    "leaky": lambda t: F.leaky_relu(t, 0.1),
    "sign": torch.sign,
}
for name in cases:
    x.grad = None
    cases[name](x).sum().backward()
    print(f"{name:8s}", x.grad)
