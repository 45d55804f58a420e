# Fewer digits, no scientific notation, and back.
import torch

t = torch.tensor([0.00012345, 1.5, 12345.678])
print(t)
torch.set_printoptions(precision=2)
print(t)
torch.set_printoptions(precision=3, sci_mode=False)
print(t)
torch.set_printoptions(profile="default")
print(t)
torch.set_printoptions(threshold=5, edgeitems=2)
print(torch.arange(10))
print(torch.arange(36.0).view(6, 6))
