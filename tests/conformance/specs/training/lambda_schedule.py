# Warm-up with LambdaLR, decay with ExponentialLR, patience with ReduceLROnPlateau.
import torch
from torch import nn, optim

model = nn.Linear(1, 1)
opt = optim.SGD(model.parameters(), lr=0.1)
warmup = optim.lr_scheduler.LambdaLR(opt, lr_lambda=lambda step: min(1.0, (step + 1) / 4))
for _ in range(6):
    print(f"{warmup.get_last_lr()[0]:.4f}", end=" ")
    opt.step()
    warmup.step()
print()

opt = optim.SGD(model.parameters(), lr=0.1)
decay = optim.lr_scheduler.ExponentialLR(opt, gamma=0.5)
for _ in range(4):
    opt.step()
    decay.step()
print(opt.param_groups[0]["lr"])

plateau = optim.lr_scheduler.ReduceLROnPlateau(opt, mode="min", factor=0.1, patience=1)
for loss in [1.0, 0.9, 0.95, 0.94, 0.93, 0.92]:
    plateau.step(loss)
    print("%.6f" % opt.param_groups[0]["lr"], end=" ")
print()
