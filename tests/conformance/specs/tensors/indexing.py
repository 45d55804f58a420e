# Reading by index, slice, list, mask and None.
import torch

t = torch.arange(12).reshape(3, 4)
print(t[0], t[-1, -1], t[1][2])
print(t[:, 1])
print(t[1:, ::2])
print(t[..., 0], t[0, ...])
print(t[[0, 2]])
print(t[[0, 1], [1, 2]])
print(t[t % 2 == 0])
print(t[:, None].shape, t[None].shape)
print(t[torch.tensor([True, False, True])])
print(t[-2:].tolist())
print(t[2, 3].item(), type(t[2, 3].item()))
row, col = t.argmax().item() // 4, t.argmax().item() % 4
print(row, col)
for r in t:
    print(r.sum().item(), end=";")
print()
