# What print makes of functions, classes, methods and plain objects.
import torch
from torch import nn


class Plain:
    def method(self):
        return 1


class Named(nn.Module):
    pass


def function(x):
    return x


p = Plain()
print(p, [p], Plain, Named, Named())
print(function, lambda x: x, p.method)
print(function(function) is function, p.method() == Plain.method(p))
print(torch.float32, torch.device("cpu"), torch.Size([]), torch.nn.Linear, torch.Tensor)
print(len, print, int, ValueError, ValueError("x"), [KeyError("k")], Exception())
print(range(3), {1: range(2)}, slice(1, 2), ..., None, NotImplementedError())
print(torch.tensor([1.0]).grad_fn, torch.ones(1, requires_grad=True).sum().grad_fn)
print(type(p), type(function), type(p.method), type(Plain), type(len), type(torch.sin))
