"""Modules of Python as programs use them."""

import collections
import contextlib
import dataclasses
import functools
import operator
import types
from dataclasses import astuple, dataclass, field, fields

import torch
import torch.nn.modules as mods
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.loss import _Loss
from torch.nn.modules.utils import _pair
from torch.utils.data.dataloader import DataLoader
from torch.utils.data.dataset import Dataset
from torch.utils.data.sampler import SubsetRandomSampler

print(
    isinstance(nn.BatchNorm2d(3), _BatchNorm),
    isinstance(nn.BatchNorm2d(3), nn.modules.batchnorm._BatchNorm),
    _pair(3),
    _pair((1, 2)),
)


class L(_Loss):
    def __init__(self, w=1.0, reduction="mean"):
        super().__init__(reduction=reduction)
        self.w = w

    def forward(self, a, b):
        l = self.w * (a - b).abs()
        return l.mean() if self.reduction == "mean" else l.sum()


print(L(2.0)(torch.ones(2), torch.zeros(2)), L())


@dataclass(kw_only=True, slots=True)
class C:
    lr: float = 0.1
    n: int
    xs: list = field(default_factory=list)


c = C(n=3)
print(c, [f.name for f in fields(c)], astuple(c), {f.name: getattr(c, f.name) for f in dataclasses.fields(C)})
try:
    C(3)
except TypeError as e:
    print(e)


@functools.total_ordering
class V:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v

    def __lt__(self, o):
        return self.v < o.v


print(V(1) >= V(0), V(1) <= V(1), V(2) > V(3), max(V(1), V(5)).v)
print(sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)))
print(
    operator.eq(1, 1),
    operator.pow(2, 3),
    functools.reduce(operator.mul, [1, 2, 3]),
    functools.reduce(operator.matmul, [torch.eye(2)] * 3),
    operator.contains([1], 1),
    operator.abs(-2),
    operator.xor(1, 3),
    operator.concat([1], [2]),
)


class Ctx(contextlib.ContextDecorator):
    def __enter__(self):
        print("in")
        return self

    def __exit__(self, *e):
        print("out")
        return False


@Ctx()
def f():
    print("body")


f()
with contextlib.ExitStack() as st:
    a = st.enter_context(Ctx())
    st.callback(print, "cb")
    print("x")


class D(collections.UserDict):
    def __getitem__(self, k):
        return super().__getitem__(k.lower())


d = D(a=1)
print(d["A"], d, len(d))
m = nn.Linear(2, 2)


def fwd(self, x):
    return x * 2


m.forward = types.MethodType(fwd, m)
print(m(torch.ones(1, 2)))
