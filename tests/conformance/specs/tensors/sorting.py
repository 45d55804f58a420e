# sort, topk, unique, bincount and friends.
import torch

t = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])
values, order = torch.sort(t)
print(values, order)
print(torch.equal(t[order], values), t.sort(descending=True)[0])
print(t.topk(3))
print(t.topk(2, largest=False).values, t.argsort()[:3])
print(t.unique(), torch.unique(t, return_counts=True))
print(torch.bincount(t), torch.histc(t.float(), bins=3, min=0, max=9))
print(torch.kthvalue(t, 3), t.flip(0), t.roll(2))
print(torch.searchsorted(values, torch.tensor([4, 10])), torch.clamp(t, 2, 5))
print(torch.cummax(t, 0).values, t.diff())
