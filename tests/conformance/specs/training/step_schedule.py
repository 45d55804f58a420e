# Learning rates over time.
import torch
from torch import optim
from torch.optim.lr_scheduler import StepLR

w = torch.nn.Parameter(torch.tensor([1.0]))
opt = optim.SGD([w], lr=1.0)
sched = StepLR(opt, step_size=3, gamma=0.1)
for epoch in range(8):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()
    print(epoch, f"lr={opt.param_groups[0]['lr']:.4g}", "w=%.5f" % w.item())
    sched.step()
print(["%.3g" % lr for lr in sched.get_last_lr()])

opt = optim.SGD([w], lr=0.5)
cosine = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
rates = []
for _ in range(5):
    rates.append(round(opt.param_groups[0]["lr"], 6))
    opt.step()
    cosine.step()
print(rates)
