"""A line fitted by gradient descent: the loop that every training program is built around.

Forward records a new graph, backward walks it once, the step moves the parameters against their
gradients. The loss falls by the same factor in every step until float32 has no more digits to give.
"""

import torch
import torch.nn as nn

x = torch.linspace(-1, 1, 20).unsqueeze(1)
t = 3 * x - 0.5

model = nn.Linear(1, 1)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)

for step in range(31):
    loss = criterion(model(x), t)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step:2d}  loss {loss.item():.6f}  slope gradient {model.weight.grad.item():+.4f}")

print(f"t = {model.weight.item():.2f} * x + {model.bias.item():.2f}")
