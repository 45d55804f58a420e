# Schedules that rise and fall, and one after another.
import torch
from torch import nn
from torch.optim.lr_scheduler import (
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
)

torch.manual_seed(0)
m = nn.Linear(2, 1)
o = torch.optim.Adam(m.parameters(), lr=0.1)
s = OneCycleLR(o, max_lr=0.1, steps_per_epoch=3, epochs=2)
for i in range(6):
    m(torch.ones(1, 2)).pow(2).sum().backward()
    o.step()
    o.zero_grad()
    s.step()
    print(i, f"{s.get_last_lr()[0]:.6f}", o.param_groups[0]["betas"])
try:
    s.step()
except ValueError as e:
    print(e)
o = torch.optim.SGD(m.parameters(), lr=1.0)
w = SequentialLR(o, schedulers=[LinearLR(o, 0.1, total_iters=3), ExponentialLR(o, 0.5)], milestones=[3])
for i in range(6):
    o.step()
    print(o.param_groups[0]["lr"])
    w.step()
print(w.state_dict()["last_epoch"], type(w))
