# Only what was picked gets a gradient.
import torch

table = torch.arange(12.0).reshape(4, 3).requires_grad_()
picked = table[torch.tensor([0, 2, 2])]
print(picked)
picked.sum().backward()
print(table.grad)

table.grad = None
table[1:, ::2].pow(2).sum().backward()
print(table.grad)

table.grad = None
table[table > 7].sum().backward()
print(table.grad)
