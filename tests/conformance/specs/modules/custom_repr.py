# extra_repr, default arguments and modules that hold numbers.
import torch
from torch import nn


class Polynomial(nn.Module):
    """a + b x + c x^2 + ..."""

    def __init__(self, degree=2):
        super().__init__()
        self.degree = degree
        self.coefficients = nn.ParameterList([nn.Parameter(torch.tensor(float(i))) for i in range(degree + 1)])

    def forward(self, x):
        return sum(c * x ** i for i, c in enumerate(self.coefficients))

    def string(self):
        return " + ".join(f"{c.item():g} x^{i}" for i, c in enumerate(self.coefficients))

    def extra_repr(self) -> str:
        return f"degree={self.degree}"


p = Polynomial(3)
print(p.string())
print(p(torch.tensor([0.0, 1.0, 2.0])))
print(nn.Sequential(nn.Flatten(), nn.LeakyReLU(0.2)))
p(torch.tensor(2.0)).backward()
print([c.grad.item() for c in p.parameters()])
