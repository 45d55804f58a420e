# Two groups with their own learning rates, and the optimizer printed.
import torch
from torch import nn, optim

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1))
opt = optim.SGD(
    [{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 0.001}],
    lr=0.1,
    momentum=0.9,
)
print(opt)
for group in opt.param_groups:
    print(group["lr"], group["momentum"], len(group["params"]))
    group["lr"] *= 0.5
print([g["lr"] for g in opt.param_groups])
net(torch.ones(1, 1)).sum().backward()
opt.step()
state = opt.state_dict()
print(sorted(state), len(state["state"]))
opt.zero_grad(set_to_none=False)
print(net[0].bias.grad)
