# The second walk through a freed graph.
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w * w - 1) ** 2
for epoch in range(3):
    print("epoch", epoch)
    loss.backward()
