# What PyTorch says about shapes that do not fit.
import torch
import torch.nn as nn
import torch.nn.functional as F

attempts = [
    lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    lambda: torch.ones(2, 3) + torch.ones(2),
    lambda: torch.ones(6).view(4, 2),
    lambda: torch.ones(6).reshape(-1, 4),
    lambda: nn.Linear(4, 2)(torch.ones(3)),
    lambda: torch.mm(torch.ones(2), torch.ones(2)),
    lambda: torch.cat([torch.ones(2, 2), torch.ones(3, 3)]),
    lambda: torch.bmm(torch.ones(1, 2, 3), torch.ones(1, 2, 3)),
    lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2])),
    lambda: torch.ones(2, 3).expand(4, 3),
    lambda: torch.ones(2, 3).permute(0, 0),
    lambda: nn.Conv2d(3, 4, 3)(torch.ones(1, 1, 8, 8)),
    lambda: torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(2, 3)),
    lambda: torch.ones(3).unsqueeze(5),
]
for number, attempt in enumerate(attempts):
    try:
        attempt()
        print(number, "worked")
    except (RuntimeError, IndexError, ValueError) as e:
        print(number, type(e).__name__, str(e).split("\n")[0])
