# Too small, right, and too large.
import math

import torch


def train(lr, steps=30):
    w = torch.tensor([5.0, -3.0], requires_grad=True)
    scale = torch.tensor([1.0, 4.0])
    history = []
    for _ in range(steps):
        loss = (scale * w ** 2).sum()
        if not math.isfinite(loss.item()) or loss > 1e6:
            return history, "diverged"
        history.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            w.grad.zero_()
    return history, "converged" if history[-1] < 1e-3 else "slow"


results = {lr: train(lr) for lr in [0.001, 0.05, 0.2, 0.26, 0.5]}
for lr, (history, verdict) in results.items():
    print(f"lr={lr:<6} {verdict:<10} steps={len(history):>2} last={history[-1]:.3e}")
best = min((lr for lr in results if results[lr][1] != "diverged"), key=lambda lr: results[lr][0][-1])
print("best:", best)
