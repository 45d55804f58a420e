# children, modules and names, and replacing a layer.
import torch
import torch.nn as nn

net = nn.Sequential()
net.add_module("first", nn.Linear(2, 3))
net.add_module("act", nn.Sigmoid())
net.append(nn.Linear(3, 1))
print(net)
print([type(m).__name__ for m in net.children()])
print(len(list(net.modules())))
print([name for name, _ in net.named_children()])
net.act = nn.Tanh()
print(net[1])
net[2] = nn.Identity()
print(net(torch.zeros(1, 2)).shape)
print(net.get_submodule("first").in_features, net.first.out_features)
