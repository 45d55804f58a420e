import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
swa = AveragedModel(net)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=20)
swa_sched = SWALR(opt, swa_lr=0.05, anneal_epochs=3, anneal_strategy="cos")
x = torch.randn(16, 3); y = x.sum(1, keepdim=True)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=4)
for epoch in range(10):
    for a, b in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(a), b)
        loss.backward()
        opt.step()
    if epoch > 4:
        swa.update_parameters(net)
        swa_sched.step()
    else:
        sched.step()
    print(epoch, f"{loss.item():.4f}", opt.param_groups[0]["lr"])
update_bn(loader, swa)
print(swa.n_averaged)
print(swa(x[:2]))
print(list(swa.state_dict().keys()))
print(swa)
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
ema.update_parameters(net); ema.update_parameters(net)
print(ema.module[0].weight)
ema2 = torch.optim.swa_utils.AveragedModel(net, avg_fn=lambda a, p, n: 0.9 * a + 0.1 * p, use_buffers=True)
ema2.update_parameters(net)
print(ema2.module[0].bias)
