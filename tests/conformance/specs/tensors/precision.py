# What element types can tell apart; membership, diagonals, covariances, divisors.
import torch

print(torch.finfo(torch.float32), torch.iinfo(torch.int64))
f = torch.finfo(torch.float64)
print(f.eps, f.max, f.min, f.tiny, f.bits, f.resolution, f.smallest_normal, f.dtype)
i = torch.iinfo(torch.uint8)
print(i.max, i.min, i.bits, i.dtype)
print(torch.finfo(), torch.finfo(torch.float16).eps, torch.finfo(torch.float32) == torch.finfo(torch.float))
try:
    torch.finfo(torch.int32)
except TypeError as e:
    print(e)
try:
    torch.iinfo(torch.float32)
except TypeError as e:
    print(e)
print(
    torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 3, 4])),
    torch.isin(torch.tensor([1, 2]), 2),
    torch.isin(3, torch.tensor([3])),
    torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2]), invert=True),
)
a = torch.zeros(3, 3)
a.fill_diagonal_(5)
print(a)
b = torch.zeros(5, 2).fill_diagonal_(1, wrap=True)
print(b)
x = torch.tensor([[0.0, 2.0, 1.0], [1.0, 1.0, 3.0]], requires_grad=True)
c = torch.cov(x)
print(c)
c.sum().backward()
print(x.grad)
print(torch.corrcoef(x), x.cov(correction=0), torch.cov(torch.tensor([1.0, 2.0, 4.0])))
print(torch.gcd(torch.tensor([12, 18]), torch.tensor([8, 27])), torch.lcm(torch.tensor([4, 6]), torch.tensor([6, 8])))
