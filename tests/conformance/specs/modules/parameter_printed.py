# Parameters as print and repr show them.
import torch
from torch import nn

p = nn.Parameter(torch.tensor([[1.0, -1.0], [0.25, 3.0]]))
print(p)
print(repr(p))
print(str(p.data))
print([p])
print(f"{p.detach()}")
q = nn.Parameter(torch.zeros(0), requires_grad=False)
print(q, q.requires_grad)
print(type(p), type(p.data), type(p * 1))
print(p.sum())
