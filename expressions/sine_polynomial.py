"""sin(x) between -2 and 3, fitted by a cubic with 2,000 steps of gradient descent.

Four numbers are learned from gradients alone. The series of the sine begins x - x^3 / 6; what is best
over a whole interval is another cubic.
"""

import torch

x = torch.linspace(-2, 3, 100)
y = torch.sin(x)

a = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
c = torch.tensor(0.0, requires_grad=True)
d = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([a, b, c, d], lr=0.005)

for step in range(2001):
    prediction = a + b * x + c * x**2 + d * x**3
    loss = ((prediction - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step in (0, 1, 10, 100, 1000, 2000):
        print(f"step {step:4d}  loss {loss.item():.5f}")

print(f"sin(x) is about {a.item():.3f} {b.item():+.3f} x {c.item():+.3f} x^2 {d.item():+.3f} x^3")
with torch.no_grad():
    print(f"the largest error is {(prediction - y).abs().max().item():.3f}, that of the series is", end=" ")
    print(f"{(x - x**3 / 6 - y).abs().max().item():.3f}")
