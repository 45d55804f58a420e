import math, warnings
import torch
from torch.optim.lr_scheduler import LRScheduler, _LRScheduler, CosineAnnealingLR
class WarmupCosine(_LRScheduler):
    def __init__(self, optimizer, warmup, total, min_lr=1e-4, last_epoch=-1):
        self.warmup, self.total, self.min_lr = warmup, total, min_lr
        super().__init__(optimizer, last_epoch)
    def get_lr(self):
        if self.last_epoch < self.warmup:
            return [base * (self.last_epoch + 1) / self.warmup for base in self.base_lrs]
        t = (self.last_epoch - self.warmup) / (self.total - self.warmup)
        return [self.min_lr + 0.5 * (b - self.min_lr) * (1 + math.cos(math.pi * t)) for b in self.base_lrs]
p = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([{"params": [p], "lr": 0.1}], lr=0.01)
s = WarmupCosine(opt, 3, 10)
for e in range(6):
    (p ** 2).sum().backward(); opt.step(); s.step(); print(e, s.get_last_lr(), s.last_epoch)
print(sorted(s.state_dict()))
class Noam(LRScheduler):
    def __init__(self, optimizer, d, w): self.d, self.w = d, w; super(Noam, self).__init__(optimizer)
    def get_lr(self):
        n = max(1, self._step_count)
        return [self.d ** -0.5 * min(n ** -0.5, n * self.w ** -1.5) for _ in self.optimizer.param_groups]
n = Noam(opt, 16, 4)
for _ in range(3): opt.step(); n.step(); print(opt.param_groups[0]["lr"])
