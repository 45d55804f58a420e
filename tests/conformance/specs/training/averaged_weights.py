import copy, math
import torch
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn, get_ema_multi_avg_fn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
swa = AveragedModel(model)
ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=10)
swa_sched = SWALR(opt, swa_lr=0.01, anneal_epochs=3)
X = torch.randn(32, 3); y = X.sum(1, keepdim=True)
for epoch in range(8):
    for i in range(0, 32, 8):
        loss = nn.functional.mse_loss(model(X[i:i+8]), y[i:i+8])
        opt.zero_grad(); loss.backward(); opt.step()
        ema.update_parameters(model)
    if epoch > 4:
        swa.update_parameters(model); swa_sched.step()
    else:
        sched.step()
    print(epoch, round(loss.item(), 4), [round(g["lr"], 5) for g in opt.param_groups])
update_bn([X[:16], X[16:]], swa)
swa.eval()
print(f"{nn.functional.mse_loss(swa(X), y).item():.4f}", swa.n_averaged.item())
print(sorted(k for k in swa.state_dict())[:3])
