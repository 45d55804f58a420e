# The usual class: __init__, forward, parameters with names.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, n_in, n_hidden, n_out):
        super().__init__()
        self.fc1 = nn.Linear(n_in, n_hidden)
        self.fc2 = nn.Linear(n_hidden, n_out)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return self.fc2(x)


torch.manual_seed(7)
net = Net(3, 5, 2)
print(net)
for name, p in net.named_parameters():
    print(name, tuple(p.shape), p.numel(), p.requires_grad)
total = sum(p.numel() for p in net.parameters())
print(f"{total} parameters")
y = net(torch.randn(4, 3))
print(y.shape, y.grad_fn.name())
y.pow(2).mean().backward()
print(all(p.grad is not None for p in net.parameters()))
print("%.6f" % net.fc1.weight.grad.norm().item())
