"""sigmoid(x) squared, differentiated four times.

create_graph=True records the backward pass itself, so that it can be differentiated again. Beside
each order stands the polynomial in s = sigmoid(x) that paper and pencil give: a term c * s^k turns
into c * k * s^k - c * k * s^(k + 1), because ds/dx = s - s^2.
"""

import torch


def nth_derivative(y, x, n):
    for _ in range(n):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    return y


x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
s = torch.sigmoid(x)
y = s**2

coefficients = [0, 0, 1]
for order in range(1, 5):
    slopes = [k * c for k, c in enumerate(coefficients)]
    coefficients = [c - before for c, before in zip([*slopes, 0], [0, *slopes])]
    by_hand = sum(c * s.item() ** k for k, c in enumerate(coefficients))
    derivative = nth_derivative(y, x, order)
    print(f"order {order}: {derivative.item():+.12f}  by hand {by_hand:+.12f}  {coefficients}")

y.backward()
print(x.grad)
