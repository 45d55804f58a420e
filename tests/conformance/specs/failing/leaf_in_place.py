# Updating a parameter outside no_grad.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
w -= 0.1 * w.grad
print("not reached")
