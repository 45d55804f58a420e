# What a module says when something is missing or forgotten.
import torch
from torch import nn


class Forgot(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(1, 1)


class NoForward(nn.Module):
    pass


try:
    Forgot()
except AttributeError as e:
    print(e)
try:
    NoForward()(torch.ones(1))
except NotImplementedError as e:
    print(e)
try:
    nn.Linear(2, 2).wieght
except AttributeError as e:
    print(e)
try:
    nn.Linear(2, 2)(torch.ones(1, 3))
except RuntimeError as e:
    print(e)
print(hasattr(nn.Linear(1, 1), "bias"), hasattr(nn.Linear(1, 1, bias=False), "foo"))
print(nn.Linear(1, 1, bias=False).bias)
