# The ways to make a tensor.
import torch

print(torch.tensor([[1, 2], [3, 4]]))
print(torch.tensor([1.0, 2.5, -3.0]))
print(torch.tensor(7), torch.tensor(7.0), torch.tensor(True))
print(torch.zeros(2, 3))
print(torch.ones((2, 2), dtype=torch.int64))
print(torch.full((3,), 0.1))
print(torch.arange(5), torch.arange(1, 2, 0.25))
print(torch.linspace(0, 1, 5))
print(torch.eye(3))
print(torch.zeros_like(torch.tensor([1, 2])), torch.ones_like(torch.rand(2)))
print(torch.empty(0), torch.tensor([]), torch.zeros(2, 0).shape)
print(torch.tensor([[True, False]]), torch.tensor([1, 2.5]))
print(torch.logspace(0, 2, 3))
