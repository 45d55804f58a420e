# Frozen layers get no gradient and do not move.
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in net[0].parameters():
    p.requires_grad = False
trainable = [p for p in net.parameters() if p.requires_grad]
print(len(trainable), "of", len(list(net.parameters())), "tensors are trained")
before = {k: v.clone() for k, v in net.state_dict().items()}
opt = optim.SGD(trainable, lr=0.1)
net(torch.ones(4, 2)).mean().backward()
opt.step()
for key, value in net.state_dict().items():
    print(key, "same" if torch.equal(before[key], value) else "moved")
print([p.grad is None for p in net.parameters()])
net.requires_grad_(True)
print(all(p.requires_grad for p in net.parameters()))
