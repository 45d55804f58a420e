# cat, stack, split, chunk, repeat.
import torch

a = torch.tensor([[1, 2], [3, 4]])
b = torch.tensor([[5, 6]])
print(torch.cat([a, b]), torch.cat((a, b.t()), dim=1))
print(torch.stack([a, a * 10]).shape, torch.stack([a[0], b[0]], dim=1))
x = torch.arange(7)
print(torch.split(x, 3), x.split([2, 5]))
print(x.chunk(3))
first, *others = x.chunk(4)
print(first, len(others))
print(a.repeat(2, 2), a.repeat_interleave(2, dim=0).shape, b.expand(3, -1))
print(torch.hstack([a, a]), torch.vstack((a, b)).shape)
print([p.tolist() for p in a.unbind(1)], torch.tile(b, (1, 2)))
try:
    torch.cat([a, torch.ones(1, 3)])
except RuntimeError as e:
    print(e)
try:
    torch.stack([torch.zeros(2), torch.zeros(3)])
except RuntimeError as e:
    print(e)
