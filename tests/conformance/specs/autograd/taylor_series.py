# Taylor coefficients from repeated gradients.
import math

import torch


def taylor(f, at, order):
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    y = f(x)
    coefficients = [y.item()]
    for n in range(1, order + 1):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        coefficients.append(y.item() / math.factorial(n))
    return coefficients


print([round(c, 6) for c in taylor(torch.exp, 0.0, 5)])
print([round(c, 6) for c in taylor(torch.sin, 0.0, 5)])
print(*["%.5f" % c for c in taylor(lambda x: 1 / (1 - x), 0.0, 4)], sep=", ")
approx = sum(c * 0.5 ** k for k, c in enumerate(taylor(torch.exp, 0.0, 8)))
print(abs(approx - math.exp(0.5)) < 1e-7)
