# A convolution by unfold, compared with conv2d.
import torch
import torch.nn.functional as F

x = torch.arange(16.0).view(1, 1, 4, 4)
edge = torch.tensor([[[[1.0, 0.0, -1.0]] * 3]]).view(1, 1, 3, 3)
print(F.conv2d(x, edge))
cols = F.unfold(x, 3)
print(cols.shape, torch.equal((edge.view(1, -1) @ cols).view(1, 1, 2, 2), F.conv2d(x, edge)))
print(F.conv2d(x, edge, padding=1, stride=2).shape)
print(F.max_pool2d(x, 2), F.avg_pool2d(x, 2))
signal = torch.tensor([[[1.0, 2.0, 3.0, 4.0, 5.0]]])
print(F.conv1d(signal, torch.tensor([[[0.25, 0.5, 0.25]]])))
print(F.pad(signal, (1, 1)), F.interpolate(x, scale_factor=0.5))
k = torch.ones(1, 1, 2, 2, requires_grad=True)
F.conv2d(x, k).sum().backward()
print(k.grad)
