# An index past the end, in a loop.
import torch

t = torch.arange(3)
total = 0
for i in range(5):
    total += t[i].item()
    print(i, total)
