"""The Huber loss: a parabola near zero, straight lines far out, and so a gradient with a ceiling.

Two pieces joined by torch.where. They meet with equal values and equal slopes, so there is no kink;
an outlier pulls with the strength delta and no more.
"""

import torch
import torch.nn.functional as F

delta = 1.0
error = torch.tensor([-5.0, -1.5, -0.5, 0.25, 0.75, 3.0], requires_grad=True)

size = error.abs()
huber = torch.where(size <= delta, 0.5 * error**2, delta * (size - 0.5 * delta))
loss = huber.sum()
loss.backward()
library = F.huber_loss(error, torch.zeros(6), reduction="sum", delta=delta)

print(" error    loss  gradient  gradient of error^2 / 2")
for e, value, g in zip(error.tolist(), huber.tolist(), error.grad.tolist()):
    print(f"{e:6.2f}  {value:6.3f}  {g:8.2f}  {e:8.2f}")
print("library:", library.item() == loss.item())
