# A scalar that differentiates itself, beside PyTorch.
import math

import torch


class Value:
    def __init__(self, data, parents=(), op="", local=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents
        self.local = local
        self.op = op

    def __repr__(self):
        return f"Value(data={self.data:.4f}, grad={self.grad:.4f})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+", (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*", (other.data, self.data))

    def __pow__(self, n):
        return Value(self.data ** n, (self,), f"**{n}", (n * self.data ** (n - 1),))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other ** -1

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), "tanh", (1 - t * t,))

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for p in v.parents:
                    visit(p)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for p, d in zip(v.parents, v.local):
                p.grad += d * v.grad


def f(a, b):
    return ((2 * a + b ** 2) / (b - a) + 1) * a


a, b = Value(0.5), Value(-2.0)
y = f(a, b).tanh()
y.backward()
print(y, y.op)
print(a, b)
ta = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
tb = torch.tensor(-2.0, dtype=torch.float64, requires_grad=True)
torch.tanh(f(ta, tb)).backward()
print(abs(a.grad - ta.grad.item()) < 1e-12, abs(b.grad - tb.grad.item()) < 1e-12)
