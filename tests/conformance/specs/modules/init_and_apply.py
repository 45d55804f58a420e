# Setting weights with nn.init, over all layers with apply.
import torch
from torch import nn


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.5)
        nn.init.zeros_(m.bias)
        print("set", m)
    else:
        print("left", m.__class__.__name__)


net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 1))
net.apply(init_weights)
print(net(torch.ones(1, 2)))

torch.manual_seed(0)
w = torch.empty(2, 3)
print(nn.init.xavier_uniform_(w))
print(nn.init.normal_(w, mean=1.0, std=0.1))
print(nn.init.kaiming_normal_(w, nonlinearity="relu"))
print(nn.init.eye_(torch.empty(2, 2)), w.requires_grad)
