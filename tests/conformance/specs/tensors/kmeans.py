# k-means in a dozen lines.
import torch

torch.manual_seed(5)
blobs = torch.cat([torch.randn(10, 2) * 0.3 + torch.tensor(c) for c in ([0.0, 0.0], [4.0, 0.0], [0.0, 4.0])])
centers = blobs[[0, 10, 20]].clone()
for it in range(10):
    assign = ((blobs[:, None, :] - centers[None, :, :]) ** 2).sum(-1).argmin(1)
    new = torch.stack([blobs[assign == k].mean(0) for k in range(3)])
    if torch.allclose(new, centers):
        break
    centers = new
print("iterations:", it)
print(torch.bincount(assign, minlength=3).tolist())
print(centers)
