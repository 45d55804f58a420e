import torch
from torch import nn

seen = torch.zeros(2)


class Counter:
    def __init__(self):
        self.total = torch.zeros(2)

    def __call__(self, x):
        self.total.add_(x)
        return self.total.sum()


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(2))
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x):
        self.mean.mul_(0.9)
        return (self.mean + x * self.weight).sum()


def note(x):
    seen.copy_(x)
    return seen


def within(x):
    total = torch.zeros(2)

    def add(row):
        total.add_(row)

    for row in x:
        add(row)
    return total.prod()


def anew(x):
    global seen
    seen = torch.zeros(2)
    seen += x
    return seen.sum()


x = torch.tensor([1.0, 2.0])
model, buffers = Running(), {"mean": torch.ones(2)}
functions = {
    "through another function": (lambda x: note(x).sum(), x),
    "an object's own": (Counter(), x),
    "a buffer": (model, x),
    "a buffer that is handed in": (lambda x: torch.func.functional_call(model, {"mean": x * 0}, (x,)), x),
    "made within": (within, torch.ones(3, 2)),
    "made anew": (anew, x),
    "its own argument": (lambda x: x.mul_(3).sum(), x.clone()),
}
for name, (function, given) in functions.items():
    try:
        print(name, torch.func.grad(function)(given).tolist())
    except RuntimeError as error:
        print(name, "-", error)
