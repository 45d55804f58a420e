# Hooks that look into a net while it runs.
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
shapes = {}


def remember(name):
    def hook(module, args, output):
        shapes[name] = (type(module).__name__, tuple(args[0].shape), tuple(output.shape))
    return hook


handles = [m.register_forward_hook(remember(n)) for n, m in net.named_children()]
net(torch.zeros(5, 3))
for name, seen in shapes.items():
    print(name, *seen)
for h in handles:
    h.remove()
shapes.clear()
net(torch.zeros(5, 3))
print(shapes)
net[0].register_forward_pre_hook(lambda m, args: (args[0] * 0 + 1,))
print(torch.equal(net(torch.zeros(1, 3)), net(torch.rand(1, 3))))
net[2].register_full_backward_hook(lambda m, gi, go: print("backward", gi[0].shape, go[0].shape))
net(torch.zeros(1, 3)).sum().backward()
