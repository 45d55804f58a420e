# How numbers of several sizes are printed.
import torch

print(torch.tensor([0.1, 100.0, 1e5]))
print(torch.tensor([1e-5, 1.0]))
print(torch.tensor([1.0, 2.0, 3.0]) / 3)
print(torch.tensor([1e10, -1e-10]))
print(torch.tensor([float("nan"), float("inf"), -1.0]))
print(torch.tensor([[1.0, -2.0], [30.0, 4.5]], dtype=torch.float64))
print(torch.arange(24).reshape(2, 3, 4))
print(torch.arange(2000.0))
print(torch.tensor(3.14159265), torch.tensor(1e-8), torch.tensor(123456789.0))
print(torch.tensor([1000000, 2, -3]))
print(torch.zeros(2, 2, requires_grad=True) + 1)
print([torch.tensor(1.0), torch.tensor([2])])
print({"a": torch.tensor([1.0]), "b": (torch.tensor(2), None)})
