# One linear layer: its parts, its gradient, its repr.
import torch
import torch.nn as nn

torch.manual_seed(42)
layer = nn.Linear(3, 2)
print(layer)
print(layer.weight.shape, layer.bias.shape)
print(layer.weight)
print(layer.bias.requires_grad, layer.weight.grad)
x = torch.tensor([[1.0, 2.0, 3.0]])
out = layer(x)
print(out)
out.sum().backward()
print(layer.weight.grad)
print(layer.bias.grad)
print(torch.allclose(out, x @ layer.weight.T + layer.bias))
