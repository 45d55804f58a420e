"""Schedules that derive from PyTorch's own."""

import math

import torch
from torch.optim import lr_scheduler

model = torch.nn.Linear(2, 1)


def make():
    return torch.optim.SGD(model.parameters(), lr=0.1)


class WarmupCosine(lr_scheduler.LambdaLR):
    def __init__(self, optimizer, warmup, total, last_epoch=-1):
        def f(step):
            if step < warmup:
                return step / max(1, warmup)
            p = (step - warmup) / max(1, total - warmup)
            return 0.5 * (1 + math.cos(math.pi * p))

        super().__init__(optimizer, f, last_epoch=last_epoch)


opt = make()
s = WarmupCosine(opt, 3, 10)
for _ in range(10):
    opt.step()
    s.step()
    print("%.4f" % s.get_last_lr()[0], end=",")
print()
print(sorted(s.state_dict().keys()))


class Halving(lr_scheduler.StepLR):
    def get_lr(self):
        return [max(0.02, rate) for rate in super().get_lr()]


for schedule in (Halving(make(), 2, gamma=0.5),):
    for _ in range(6):
        schedule.optimizer.step()
        schedule.step()
        print(schedule.get_last_lr(), end=" ")
print()
