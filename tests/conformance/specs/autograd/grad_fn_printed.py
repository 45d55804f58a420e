# Nodes and tensors as print shows them.
import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
c = a * b
d = torch.exp(c / 10)
print(c.grad_fn)
print(c)
print(d)
print(d.sum())
print(f"{c.grad_fn}")
print(c.grad_fn.next_functions)
print(a.grad_fn)
