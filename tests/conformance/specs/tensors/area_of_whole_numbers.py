# Areas under samples that are whole numbers are floating, of the default type.
import torch

y = torch.tensor([2, 4, 9])
print(torch.trapezoid(y), torch.trapezoid(y, dx=3), torch.trapezoid(y, torch.tensor([0, 1, 5])))
print(torch.cumulative_trapezoid(y), torch.cumulative_trapezoid(y, dx=0.5))
print(torch.cumulative_trapezoid(y, torch.tensor([0, 1, 5])))
torch.set_default_dtype(torch.float64)
print(torch.trapezoid(y), torch.cumulative_trapezoid(y))
