# Bags of embeddings, padded sequences, and pools of volumes.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
print(
    pad_sequence([torch.ones(2), torch.ones(3)]),
    pad_sequence([torch.ones(2), torch.ones(3)], batch_first=True, padding_value=-1),
)
print(pad_sequence([torch.ones(2), torch.ones(3)], batch_first=True, padding_side="left"))
e = nn.EmbeddingBag(5, 3, mode="sum")
print(e, e(torch.tensor([0, 1, 2, 4]), torch.tensor([0, 2])))
e = nn.EmbeddingBag(5, 3)
o = e(torch.tensor([[0, 1], [2, 4]]))
print(o)
o.sum().backward()
print(e.weight.grad)
l = nn.LazyLinear(3)
print(l)
print(l(torch.ones(2, 4)).shape, l)
m = nn.MaxPool3d(2)
x = torch.arange(64.0).reshape(1, 1, 4, 4, 4).requires_grad_()
y = m(x)
print(m, y)
y.sum().backward()
print(x.grad.sum())
a = nn.AvgPool3d(2, stride=1)
y = a(x.detach())
print(a, y.shape, y.sum())
