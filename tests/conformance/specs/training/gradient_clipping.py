# Clipping by norm and by value.
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
x = torch.tensor([[10.0, -20.0, 30.0]])
net(x).pow(2).sum().backward()
norm = nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)
print("norm before: %.4f" % norm.item())
after = torch.sqrt(sum((p.grad ** 2).sum() for p in net.parameters()))
print(f"norm after: {after:.4f}")
net.zero_grad()
net(x).sum().backward()
nn.utils.clip_grad_value_(net.parameters(), 5)
print(net.weight.grad)
print(nn.utils.parameters_to_vector(net.parameters()).shape)
