# A method that tensors do not have.
import torch

x = torch.ones(2)
print(x.sum())
print(x.summ())
