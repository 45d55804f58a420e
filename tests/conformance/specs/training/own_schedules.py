import math

import torch
from torch import nn
from torch.optim.lr_scheduler import LRScheduler, StepLR, _LRScheduler


class NoamLR(_LRScheduler):
    """Noam warmup."""
    def __init__(self, optimizer, warmup_steps, last_epoch=-1):
        self.warmup_steps = warmup_steps
        super().__init__(optimizer, last_epoch)
    def get_lr(self):
        last_epoch = max(1, self.last_epoch)
        scale = self.warmup_steps ** 0.5 * min(last_epoch ** (-0.5), last_epoch * self.warmup_steps ** (-1.5))
        return [base_lr * scale for base_lr in self.base_lrs]
class WarmupCosine(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer, warmup, total, min_lr=0.0, last_epoch=-1):
        self.warmup, self.total, self.min_lr = warmup, total, min_lr
        super(WarmupCosine, self).__init__(optimizer, last_epoch)
    def get_lr(self):
        if self.last_epoch < self.warmup:
            return [b * (self.last_epoch + 1) / self.warmup for b in self.base_lrs]
        t = (self.last_epoch - self.warmup) / (self.total - self.warmup)
        return [self.min_lr + 0.5 * (b - self.min_lr) * (1 + math.cos(math.pi * t)) for b in self.base_lrs]
torch.manual_seed(0)
net = nn.Linear(2, 1)
for cls, kw in ((NoamLR, dict(warmup_steps=3)), (WarmupCosine, dict(warmup=2, total=6))):
    opt = torch.optim.SGD([{"params": [net.weight]}, {"params": [net.bias], "lr": 0.5}], lr=0.1)
    sched = cls(opt, **kw)
    for i in range(6):
        opt.zero_grad(); net(torch.ones(1, 2)).sum().backward(); opt.step(); sched.step()
        print(i, [round(x, 5) for x in sched.get_last_lr()], opt.param_groups[1]["lr"])
    print(sorted(sched.state_dict().items()))
s2 = NoamLR(torch.optim.SGD(net.parameters(), lr=0.1), 3)
print(s2.last_epoch, s2.base_lrs, type(s2).__name__)
try:
    NoamLR(net, 3)
except TypeError as e:
    print(e)
