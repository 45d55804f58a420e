# Cyclic schedules, warm restarts, chains and sequences.
import torch
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    OneCycleLR,
    SequentialLR,
)

p = [torch.nn.Parameter(torch.zeros(1))]


def run(make, n=8, **kw):
    o = torch.optim.SGD(p, lr=0.1, momentum=0.9)
    s = make(o)
    r = []
    for _ in range(n):
        o.step()
        r.append((o.param_groups[0]["lr"], o.param_groups[0]["momentum"]))
        s.step()
    print(r, s.get_last_lr())


run(lambda o: OneCycleLR(o, max_lr=0.5, total_steps=10))
run(lambda o: OneCycleLR(o, 0.5, epochs=2, steps_per_epoch=5, anneal_strategy="linear", three_phase=True))
run(lambda o: CyclicLR(o, 0.01, 0.1, step_size_up=3))
run(lambda o: CyclicLR(o, 0.01, 0.1, step_size_up=2, mode="exp_range", gamma=0.9, step_size_down=3))
run(lambda o: CyclicLR(o, 0.01, 0.1, step_size_up=2, mode="triangular2", cycle_momentum=False))
run(lambda o: CosineAnnealingWarmRestarts(o, 3, T_mult=2))
run(lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)], milestones=[3]))
run(lambda o: ChainedScheduler([ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)]))
