# Ends as PyTorch ends it: a vector has no backward of its own.
import torch

x = torch.ones(3, requires_grad=True)
y = x * 2
print("about to fail")
y.backward()
