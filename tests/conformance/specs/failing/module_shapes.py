# A net with layers that do not fit each other.
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(5, 1)

    def forward(self, x):
        x = torch.relu(self.first(x))
        return self.second(x)


net = Net()
print(net)
net(torch.zeros(2, 3))
