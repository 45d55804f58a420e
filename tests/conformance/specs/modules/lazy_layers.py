# Layers that learn their width from the first input, and padded sequences.
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.LazyConv2d(4, kernel_size=3, padding=1),
    nn.LazyBatchNorm2d(),
    nn.ReLU(),
    nn.Flatten(),
    nn.LazyLinear(5),
    nn.LazyLinear(2),
)
print(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
print(net[0].weight, type(net[0].weight), net[0].in_channels)
y = net(torch.randn(2, 3, 4, 4))
print(y, net)
y.sum().backward()
opt.step()
print(net[-1].weight, net[-1].bias.grad, type(net[-1]), type(net[-1].weight))
l = nn.LazyLinear(3, bias=False)
try:
    l.weight.shape
except RuntimeError as e:
    print(e)
l(torch.ones(2, 7))
print(l, l.weight.shape, l.in_features)
try:
    nn.LazyConv2d(4, 3)(torch.ones(2, 2))
except RuntimeError as e:
    print(e)
from torch.nn.utils.rnn import pad_sequence

a = torch.ones(2, 3, requires_grad=True)
b = torch.zeros(3, 3)
p = pad_sequence([a, b], batch_first=True)
print(p, p.grad_fn)
p.sum().backward()
print(a.grad)
