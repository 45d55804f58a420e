"""One prediction under five losses: what differs is how hard each error pulls.

The squared error pulls in proportion to the error, the absolute error always with the same strength,
the smooth one changes from the one to the other. The last two take the prediction for a score, and
are one loss under two names.
"""

import torch
import torch.nn as nn

prediction = torch.tensor([0.1, 0.8, -0.6, 4.0], requires_grad=True)
target = torch.tensor([0.0, 1.0, 0.0, 1.0])

losses = {
    "MSE": nn.MSELoss(),
    "L1": nn.L1Loss(),
    "smooth L1": nn.SmoothL1Loss(),
    "logistic": nn.BCEWithLogitsLoss(),
    "soft margin": lambda p, t: nn.functional.soft_margin_loss(p, 2 * t - 1),
}

print("errors      ", [round(e, 2) for e in (prediction - target).tolist()])
total = 0.0
for name, loss_of in losses.items():
    loss = loss_of(prediction, target)
    (g,) = torch.autograd.grad(loss, prediction, retain_graph=True)
    print(f"{name:<12} {loss.item():.4f}  gradient {g}")
    total = total + loss

total.backward()
print(f"{'sum':<12} {total.item():.4f}  gradient {prediction.grad}")
