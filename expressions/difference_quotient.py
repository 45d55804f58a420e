"""A gradient checked by a difference quotient, and why the step must not be too small.

The central quotient is wrong by a term in step^2, so ten times smaller means a hundred times better,
until the rounding of f, divided by the step, takes over. The best step lies in between.
"""

import torch


def f(x):
    return torch.exp(torch.sin(x)) * x


x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
y = f(x)
y.backward()
print(f"autograd {x.grad.item():.12f}")

best = 1.0
with torch.no_grad():
    for exponent in range(1, 12):
        step = 10.0**-exponent
        quotient = (f(x + step) - f(x - step)) / (2 * step)
        error = abs(quotient - x.grad).item()
        if error < best:
            best, best_exponent = error, exponent
        if exponent <= 4:
            print(f"step 1e-{exponent}  error {error:.1e}")
print(f"the best step lies between 1e-7 and 1e-4: {4 <= best_exponent <= 7}")
print(f"the smallest step is worse than the best: {error > 100 * best}")
