"""Hooks of modules, counted and taken away; old names of element types; the memory of a tensor."""

import torch
from torch import nn

layer = nn.Linear(2, 2)
layer.register_forward_hook(lambda module, inputs, output: print("called"))
layer(torch.ones(1, 2))
print(len(layer._forward_hooks), len(layer._backward_hooks), bool(layer._forward_pre_hooks))
layer._forward_hooks.clear()
layer(torch.ones(1, 2))
print(len(layer._forward_hooks), nn.init._calculate_fan_in_and_fan_out(layer.weight))
x = torch.ones(2, 2).type(torch.DoubleTensor)
print(x.dtype, x.type(torch.LongTensor), torch.spmm(x, x))
a = torch.arange(6.0)
v = a.view(2, 3)[1]
print(
    a.untyped_storage().data_ptr() == v.untyped_storage().data_ptr(), a.untyped_storage().nbytes(), v.storage().size()
)
print(torch.full((2, 4), 2.0).scatter_(1, torch.tensor([[2], [3]]), 1.5, reduce="multiply"))
print(isinstance(nn.BatchNorm2d(3), nn.modules.batchnorm._BatchNorm), nn.modules.utils._pair(3))
