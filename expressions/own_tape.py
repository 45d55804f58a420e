"""Reverse-mode differentiation in twenty lines, beside the real one.

Each operation writes down its result, and for each input the derivative of the one by the other.
Read from the last note to the first, that is all of backward(): here for y = (a + b) * (b + 1).
"""

import torch

tape = []


class Number:
    def __init__(self, value):
        self.value = value
        self.grad = 0.0


def record(value, *inputs):
    out = Number(value)
    tape.append((out, inputs))
    return out


def add(p, q):
    return record(p.value + q.value, (p, 1.0), (q, 1.0))


def multiply(p, q):
    return record(p.value * q.value, (p, q.value), (q, p.value))


a, b = Number(2.0), Number(3.0)
y = multiply(add(a, b), add(b, Number(1.0)))
y.grad = 1.0
for out, inputs in reversed(tape):
    for number, derivative in inputs:
        number.grad += derivative * out.grad
print(f"own tape: y = {y.value}, dy/da = {a.grad}, dy/db = {b.grad}")

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = (a + b) * (b + 1)
y.backward()
print(f"autograd: y = {y.item()}, dy/da = {a.grad}, dy/db = {b.grad}")
