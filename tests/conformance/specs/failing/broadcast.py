# Operands that cannot be broadcast, inside an f-string.
import torch

a, b = torch.zeros(3), torch.zeros(4)
print(f"sizes {a.numel()} and {b.numel()}")
print(f"sum {a + b}")
