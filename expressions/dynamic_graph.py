"""The graph is what was run: a branch, and a loop whose length depends on the value.

Heron's rule for the square root stops when it is close enough, after more or fewer steps. Each run
records just the steps it took, and their derivative is that of the root: 1 / (2 * sqrt(x)).
"""

import math

import torch


def twice_or_square(x, flag):
    if flag:
        return x * x
    return x + x


def square_root(x):
    guess, steps = x, 0
    while abs(guess.item() ** 2 - x.item()) > 1e-9:
        guess = (guess + x / guess) / 2
        steps += 1
    return guess, steps


x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
print(twice_or_square(x, True).grad_fn.name(), twice_or_square(x, False).grad_fn.name())

for value in (1.5, 100.0, 2.0):
    x = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    y, steps = square_root(x)
    y.backward()
    print(f"x = {value:5.1f}  {steps} steps  y = {y.item():.6f}  dy/dx = {x.grad.item():.6f}", end="  ")
    print(f"1 / (2 sqrt(x)) = {1 / (2 * math.sqrt(value)):.6f}")
