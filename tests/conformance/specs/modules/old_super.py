# The older spelling super(Net, self).__init__() and a chain of classes.
import torch
import torch.nn as nn


class Base(nn.Module):
    def __init__(self, size):
        super(Base, self).__init__()
        self.size = size
        self.scale = nn.Parameter(torch.full((size,), 2.0))

    def forward(self, x):
        return x * self.scale

    def describe(self):
        return "Base of size %d" % self.size


class Shifted(Base):
    def __init__(self, size, shift=1.0):
        super(Shifted, self).__init__(size)
        self.shift = nn.Parameter(torch.tensor(shift))

    def forward(self, x):
        return super(Shifted, self).forward(x) + self.shift

    def describe(self):
        return "Shifted " + super().describe()


m = Shifted(3, shift=-0.5)
print(m.describe())
print(m(torch.arange(3.0)))
print([n for n, _ in m.named_parameters()])
print(isinstance(m, Base), isinstance(m, nn.Module), isinstance(Base(1), Shifted))
