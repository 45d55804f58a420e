# One tensor used by two layers is one parameter.
import torch
from torch import nn


class TiedAutoencoder(nn.Module):
    def __init__(self, n, k):
        super().__init__()
        self.encode = nn.Linear(n, k, bias=False)
        self.decode = nn.Linear(k, n, bias=False)
        self.decode.weight = nn.Parameter(self.encode.weight.t().detach())

    def forward(self, x):
        return self.decode(self.encode(x))


class Shared(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.first = nn.Linear(n, n)
        self.second = self.first

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


torch.manual_seed(0)
print(len(list(TiedAutoencoder(4, 2).parameters())))
net = Shared(2)
print(len(list(net.parameters())), list(net.state_dict()))
print(net.first.weight is net.second.weight)
net(torch.ones(1, 2)).sum().backward()
print(net.first.weight.grad)
