import torch
from torch import nn

torch.manual_seed(0)
net, seen = nn.Sequential(nn.Linear(2, 3), nn.ReLU()), {}
for name, layer in net.named_children():
    layer.register_forward_hook(lambda m, i, o, name=name: seen.__setitem__(name, o.detach()))
net(torch.ones(1, 2))
print(seen, seen.__getitem__("1").shape)
try:
    seen.__setitem__([], 1)
except TypeError as e:
    print(e)
try:
    seen.__getitem__("2")
except KeyError as e:
    print(e)
