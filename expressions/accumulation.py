"""Gradients add up: four small batches, one after the other, give the gradient of the whole.

backward() adds to .grad and never overwrites it. That is why a training loop clears it, and why a
batch too large for the memory can be walked in pieces.
"""

import torch

x = torch.tensor([[1.0, 2.0], [-1.0, 0.5], [0.5, -1.5], [2.0, 1.0]])
t = torch.tensor([1.0, 0.0, -1.0, 2.0])
w = torch.tensor([0.5, -0.25], requires_grad=True)


def loss_of(rows):
    errors = x[rows] @ w - t[rows]
    return (errors**2).sum() / len(t)


for row in range(len(t)):
    loss_of([row]).backward()
    print(f"after row {row}: {w.grad}")
in_pieces = w.grad

w.grad = None
loss = loss_of([0, 1, 2, 3])
loss.backward()
print(f"all at once: {w.grad}")
print("equal:", torch.allclose(w.grad, in_pieces))
