# meshgrid, distances, and a picture in characters.
import torch

xs = torch.linspace(-1, 1, 11)
gx, gy = torch.meshgrid(xs, xs, indexing="xy")
radius = torch.sqrt(gx ** 2 + gy ** 2)
for row in radius:
    print("".join("#" if r < 0.5 else "+" if r <= 1.0 else "." for r in row))
points = torch.tensor([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
print(torch.cdist(points, points))
by_hand = (points[:, None] - points[None]).pow(2).sum(-1).sqrt()
print(torch.allclose(by_hand, torch.cdist(points, points)))
print(torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])))
