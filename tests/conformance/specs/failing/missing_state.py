# A state dict that lacks a key.
import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
state = net[0].state_dict()
print(sorted(state))
net.load_state_dict(state)
