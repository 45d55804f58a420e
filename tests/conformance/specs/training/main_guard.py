# A script in the usual form: functions, arguments, a guarded main.
from typing import List, Tuple

import torch
import torch.nn as nn


def make_data(n: int, seed: int = 0) -> Tuple[torch.Tensor, torch.Tensor]:
    """Points on a noisy parabola."""
    torch.manual_seed(seed)
    x = torch.rand(n, 1) * 2 - 1
    return x, x ** 2 + 0.05 * torch.randn(n, 1)


def train(model: nn.Module, x: torch.Tensor, y: torch.Tensor, epochs: int, lr: float) -> List[float]:
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    losses: List[float] = []
    for epoch in range(epochs):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


def main():
    x, y = make_data(32)
    model = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
    losses = train(model, x, y, epochs=80, lr=0.02)
    print("first {:.4f} last {:.4f}".format(losses[0], losses[-1]))
    print("improved:", losses[-1] < losses[0] / 4)


if __name__ == "__main__":
    main()
