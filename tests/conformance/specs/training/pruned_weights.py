import torch
import torch.nn as nn
import torch.nn.utils.prune as prune

torch.manual_seed(0)
m = nn.Linear(4, 3)
prune.l1_unstructured(m, name="weight", amount=0.5)
print(list(m.named_parameters()))
print(list(m.named_buffers()))
print(m.weight)
print(prune.is_pruned(m))
x = torch.randn(2, 4)
m(x).sum().backward()
print(m.weight_orig.grad)
prune.random_unstructured(m, name="bias", amount=1)
print(m.bias)
prune.remove(m, "weight")
print(list(m.state_dict().keys()))
c = nn.Conv2d(2, 4, 3)
prune.ln_structured(c, name="weight", amount=0.5, n=2, dim=0)
print(c.weight_mask.sum())
net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
prune.global_unstructured([(net[0], "weight"), (net[2], "weight")], pruning_method=prune.L1Unstructured, amount=0.2)
print(f"{100. * float(torch.sum(net[0].weight == 0)) / float(net[0].weight.nelement()):.2f}%")
