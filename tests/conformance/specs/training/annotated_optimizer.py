import torch
from torch.optim.optimizer import Optimizer, ParamsT


class Plain(Optimizer):
    def __init__(self, params: ParamsT, lr: float = 0.1) -> None:
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"])


p = torch.nn.Parameter(torch.ones(2))
p.sum().backward()
Plain([p]).step()
print(p)
