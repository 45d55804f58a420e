# Shapes, sizes and strides.
import torch

t = torch.arange(24).view(2, 3, 4)
print(t.shape, t.size(), t.size(1), t.size(-1))
print(t.dim(), t.ndim, t.numel(), len(t))
print(t.shape == (2, 3, 4), t.shape[0] * t.shape[1], tuple(t.shape), list(t.shape))
print(t.reshape(6, -1).shape, t.flatten().shape, t.flatten(1).shape)
print(t.permute(2, 0, 1).shape, t.transpose(0, 2).shape, t.mT.shape)
print(t.unsqueeze(0).shape, t[None, :, None].shape, t[:, :1].squeeze().shape)
print(t.stride(), t.transpose(0, 1).stride(), t.transpose(0, 1).is_contiguous())
b, *rest = t.shape
print(b, rest)
print(torch.Size([2, 3]), torch.Size([2, 3]).numel(), torch.Size([1]) + torch.Size([2]))
print(torch.tensor(5).shape)
try:
    t.view(5, 5)
except RuntimeError as e:
    print(e)
try:
    t.transpose(0, 1).view(-1)
except RuntimeError as e:
    print(e)
