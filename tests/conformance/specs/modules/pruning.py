# Masks on parameters: made, put on top of each other, over several modules, and made permanent.
import torch
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2))
prune.l1_unstructured(net[0], name="weight", amount=0.3)
print(list(dict(net[0].named_parameters())), [name for name, _ in net[0].named_buffers()])
print(int(net[0].weight_mask.sum()), prune.is_pruned(net))
prune.l1_unstructured(net[0], "weight", amount=4)
print(int(net[0].weight_mask.sum()))
prune.ln_structured(net[2], name="weight", amount=0.5, n=2, dim=0)
print(net[2].weight)
net(torch.ones(1, 4)).sum().backward()
print(net[0].weight_orig.grad.ne(0).sum() <= net[0].weight_mask.sum(), net[2].weight_orig.grad is not None)
prune.random_unstructured(net[0], "bias", amount=2)
print(int((net[0].bias == 0).sum()))
pairs = [(net[0], "weight"), (net[2], "weight")]
prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.2)
print([int((getattr(module, name) == 0).sum()) for module, name in pairs])
for module, name in pairs:
    prune.remove(module, name)
print([type(getattr(module, name)).__name__ for module, name in pairs], sorted(net.state_dict()))
prune.custom_from_mask(net[2], "bias", torch.tensor([0.0, 1.0]))
print(net[2].bias_mask, net[2](torch.ones(1, 5)).shape)


class Every(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


conv = nn.Conv1d(1, 2, 3)
Every.apply(conv, "weight")
print(conv.weight_mask)
for wrong in (1.5, -1, "much"):
    try:
        prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=wrong)
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error)[:40])
