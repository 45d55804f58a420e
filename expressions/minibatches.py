"""Stochastic gradient descent: a data set, shuffled, walked in batches of four.

Each batch points only roughly downhill, yet an epoch of five rough steps goes further than one
exact step over all twenty points would.
"""

import torch
import torch.nn.functional as F


class Points:
    def __init__(self, count):
        self.x = torch.linspace(-1, 1, count)
        self.y = 2 * self.x + 1 + 0.1 * torch.randn(count)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, rows):
        return self.x[rows], self.y[rows]


torch.manual_seed(0)
points = Points(20)
slope = torch.tensor(0.0, requires_grad=True)
offset = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([slope, offset], lr=0.1)

for epoch in range(1, 16):
    losses = []
    for rows in torch.randperm(len(points)).split(4):
        x, y = points[rows]
        loss = F.mse_loss(slope * x + offset, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    if epoch % 3 == 0:
        print(f"epoch {epoch:2d}  mean loss {sum(losses) / len(losses):.4f}", end="  ")
        print(f"slope {slope.item():.3f}  offset {offset.item():.3f}")
