"""A convolution that learns to see edges.

The picture is a bright square on a dark ground. The target is its difference from left to right; a
filter of nine zeros finds out, from examples alone, that its middle row has to be -1, 0, 1.
"""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
picture = torch.zeros(1, 1, 8, 8)
picture[:, :, 2:6, 2:6] = 1.0
picture = picture + 0.3 * torch.rand(1, 1, 8, 8)
target = picture[:, :, 1:-1, 2:] - picture[:, :, 1:-1, :-2]

kernel = torch.zeros(1, 1, 3, 3, requires_grad=True)
optimizer = torch.optim.SGD([kernel], lr=0.2, momentum=0.9)

for step in range(101):
    edges = F.conv2d(picture, kernel)
    loss = F.mse_loss(edges, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step:3d}  loss {loss.item():.6f}")

for row in kernel[0, 0].tolist():
    print("  ".join([f"{round(weight, 2) + 0.0:5.2f}" for weight in row]))  # + 0.0: no minus before a zero
