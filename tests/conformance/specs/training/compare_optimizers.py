# The same problem under several optimizers.
import torch
from torch import optim


def rosen(p):
    x, y = p
    return (1 - x) ** 2 + 10 * (y - x ** 2) ** 2


choices = {
    "SGD": lambda ps: optim.SGD(ps, lr=0.01),
    "momentum": lambda ps: optim.SGD(ps, lr=0.005, momentum=0.8, nesterov=True),
    "RMSprop": lambda ps: optim.RMSprop(ps, lr=0.02),
    "Adagrad": lambda ps: optim.Adagrad(ps, lr=0.3),
    "Adam": lambda ps: optim.Adam(ps, lr=0.1, betas=(0.9, 0.99)),
    "AdamW": lambda ps: optim.AdamW(ps, lr=0.1, weight_decay=0.01),
}
for name, make in choices.items():
    p = torch.tensor([-1.0, 1.5], requires_grad=True)
    opt = make([p])
    for _ in range(100):
        opt.zero_grad()
        loss = rosen(p)
        loss.backward()
        opt.step()
    print(f"{name:<10}{loss.item():10.5f}  at ({p[0]:.3f}, {p[1]:.3f})")
