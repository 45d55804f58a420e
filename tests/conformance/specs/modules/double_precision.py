# Moving a module to another dtype.
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
print(net[0].weight.dtype)
x = torch.ones(1, 2, dtype=torch.float64)
try:
    net(x)
except RuntimeError as e:
    print(e)
net = net.double()
print(net(x).dtype, net[0].weight.dtype)
print(net.to(torch.float32)[0].bias.dtype)
print({p.dtype for p in net.float().parameters()})
