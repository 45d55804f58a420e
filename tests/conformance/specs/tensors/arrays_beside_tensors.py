"""Operators between arrays of NumPy and tensors: results where PyTorch has them, and its errors."""

import numpy as np
import torch

t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
a, i = np.ones((2, 2)), np.ones((2, 2), np.int64)
g = torch.ones(2, 2, requires_grad=True)


def told(how):
    try:
        made = how()
        print(type(made).__name__, getattr(made, "dtype", None), str(made).replace("\n", ";"))
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, str(error)[:90])


for x, y in (
    (a, t), (t, a), (np.float64(2), t), (t, np.float64(2)), (a, g), (g, a), (t, i), (i, t), (np.float32(2), t.int()),
    (np.int64(2), t), (np.bool_(True), t), (t.int(), a), (a[0], t), (t, a[0]), (np.float64(2), g),
):  # fmt: skip
    for how in (
        lambda: x + y, lambda: x - y, lambda: x * y, lambda: x / y, lambda: x // y, lambda: x**y, lambda: x % y,
        lambda: x @ y, lambda: x < y, lambda: x >= y, lambda: x == y, lambda: x != y, lambda: x & y,
    ):  # fmt: skip
        told(how)


def added(x, y):
    x += y
    return x


def scaled(x, y):
    x *= y
    return x


def divided(x, y):
    x /= y
    return x


for change in (added, scaled, divided):
    for x, y in ((torch.ones(2, 2), a), (np.ones((2, 2)), t), (torch.ones(2, 2), np.float64(2)), (np.float64(2), t)):
        told(lambda: change(x, y))
for name in ("sum", "mean", "max", "amin", "prod"):
    told(lambda: getattr(np, name)(t))
