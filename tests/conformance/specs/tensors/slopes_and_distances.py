# torch.gradient, distances of rows, powers, segments, and windows that lie at random.
import torch
from torch.nn import functional as F

y = torch.tensor([[1.0, 2.0, 4.0], [8.0, 5.0, 7.0], [3.0, 0.0, 1.0]], requires_grad=True)
at = torch.tensor([0.0, 1.0, 3.0])
for options in ({}, {"spacing": 2.0}, {"spacing": (2.0, 0.5), "edge_order": 2}, {"dim": 1, "spacing": (at,)}):
    for slope in torch.gradient(y, **options):
        print(slope)
        print(torch.autograd.grad(slope.sin().sum(), y)[0])
for p in (0.0, 1.0, 1.5, 2.0, float("inf")):
    d = F.pdist(y, p)
    print(d, torch.autograd.grad(d.sum(), y)[0])
print(torch.vander(at), torch.vander(at, 2, increasing=True))
print(torch.diff(y, n=0, prepend=y), torch.constant_pad_nd(y, (1, -1), 2.0))
lengths = torch.tensor([2, 0, 1])
for reduce in ("sum", "mean", "prod", "max", "min"):
    s = torch.segment_reduce(y, reduce, lengths=lengths)
    print(s, torch.autograd.grad(s[::2].sum(), y)[0])
torch.manual_seed(0)
image = torch.arange(49.0).sin().reshape(1, 1, 7, 7).requires_grad_()
pooled, places = F.fractional_max_pool2d(image, 2, output_ratio=(0.6, 0.5), return_indices=True)
print(pooled, places)
print(torch.nn.FractionalMaxPool3d(2, output_size=2)(torch.arange(64.0).reshape(1, 4, 4, 4)))
for mode in ("bilinear", "bicubic", "lanczos"):
    small = F.interpolate(image, (2, 3), mode=mode, antialias=True)
    print(small.grad_fn, small.detach().numpy().round(4))
    print(torch.autograd.grad(small.sum(), image)[0].sum().round(decimals=3))
loss = torch.nn.LinearCrossEntropyLoss(3, 4)
print(loss, loss(y, torch.tensor([0, 3, 1])))
