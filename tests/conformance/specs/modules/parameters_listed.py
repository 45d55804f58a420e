# Parameters listed, named, counted and put into a table.
import torch
import torch.nn as nn

torch.manual_seed(2)
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in model.parameters():
    print(p)
for name, p in model.named_parameters():
    print(name, p.data)
params = list(model.parameters())
print(len(params), params[-1])
named = dict(model.named_parameters())
print(list(named), named["2.bias"] is params[3])
print("{:<12}{:<12}{:>6}".format("name", "shape", "count"))
for name, p in named.items():
    print("{:<12}{:<12}{:>6}".format(name, str(list(p.shape)), p.numel()))
print("total", sum(p.numel() for p in params if p.requires_grad))
model(torch.ones(1, 2)).backward()
print([tuple(p.grad.shape) for p in model.parameters()], max(p.grad.abs().max().item() for p in params) > 0)
