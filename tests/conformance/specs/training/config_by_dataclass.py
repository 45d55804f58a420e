from dataclasses import dataclass, field
from typing import List, Optional

import torch


@dataclass
class Config:
    lr: float = 0.1
    steps: int = 10
    hidden: List[int] = field(default_factory=lambda: [4, 2])
    name: Optional[str] = None

cfg = Config(lr=0.5)
print(cfg)
print(cfg.lr, cfg.hidden, cfg.name)
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(cfg.steps):
    loss = (w ** 2).sum()
    g, = torch.autograd.grad(loss, w)
    w = (w - cfg.lr * g * 0.5).detach().requires_grad_()
print(w)
print(Config() == Config(), Config(lr=1) == Config())
