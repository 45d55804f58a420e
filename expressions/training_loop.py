# A line fitted by stochastic gradient descent.
import torch
from torch import nn, optim

x = torch.linspace(-1, 1, 20).unsqueeze(1)
t = 3 * x - 0.5

model = nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(0.0)
    model.bias.fill_(0.0)
optimizer = optim.SGD(model.parameters(), lr=0.3)

for step in range(61):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), t)
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step:2d}  loss {loss.item():.6f}")
print(model.weight.data, model.bias.data)
