# Integer arithmetic, division, remainder, bits.
import torch

a = torch.tensor([7, -7, 8])
b = torch.tensor([2, 2, -3])
print(a + b, a - b, a * b)
print(a / b)
print(a // b, a % b)
print(torch.div(a, b, rounding_mode="trunc"), torch.remainder(a, b), torch.fmod(a, b))
print(a ** 2, 2 ** torch.arange(5))
print(a & 1, a | 8, a ^ b, ~a)
print(torch.arange(4) << 2, torch.tensor([32, 5]) >> 1)
print(-a, +a, abs(a))
print(a.sum(), a.prod(), a.float().mean())
try:
    a.mean()
except RuntimeError as e:
    print(e)
print(a == 7, (a > 0).any(), (a > 0).all(), a.max().item())
