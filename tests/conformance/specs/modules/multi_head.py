# Several heads by view and transpose.
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        assert dim % heads == 0, "dim must be divisible by heads"
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        split = lambda t: t.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        q, k, v = split(q), split(k), split(v)
        att = (q @ k.transpose(-2, -1)) * (C // self.heads) ** -0.5
        y = att.softmax(dim=-1) @ v
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))


torch.manual_seed(9)
layer = SelfAttention(8, 2)
x = torch.randn(2, 3, 8)
y = layer(x)
print(y.shape)
print(y[0])
y.mean().backward()
print(round(layer.qkv.weight.grad.norm().item(), 5))
try:
    SelfAttention(8, 3)
except AssertionError as e:
    print("AssertionError:", e)
