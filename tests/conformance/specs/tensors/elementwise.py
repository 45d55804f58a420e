# Elementwise functions, methods and their in-place twins.
import torch

x = torch.tensor([-2.0, -0.5, 0.0, 0.5, 2.0])
functions = [torch.exp, torch.sigmoid, torch.tanh, torch.relu, torch.abs, torch.sign, torch.floor, torch.round]
for f in functions:
    print(f(x))
print(x.clamp(min=-1), x.clamp(max=1), torch.clip(x, -1, 1))
print(x.pow(2), x ** 3, x.square(), torch.sqrt(x.abs()), 1 / (x + 3))
print(torch.log(x), torch.log1p(x.abs()), torch.erf(x))
print(torch.minimum(x, torch.tensor(0.25)), torch.maximum(x, torch.zeros(1)), torch.lerp(x, x * 0, 0.5))
y = x.clone()
y.add_(1).mul_(2).clamp_(0, 4)
print(y, y.neg(), y.reciprocal())
print(torch.atan2(x, torch.ones(5)), torch.hypot(x, x), torch.sin(x) ** 2 + torch.cos(x) ** 2)
