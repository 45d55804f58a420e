# A hook made by a function, to watch a deep chain.
import torch


def watch(name):
    def hook(grad):
        print(f"{name}: {grad.item():.6f}")
    return hook


x = torch.tensor(0.5, requires_grad=True)
h = x
for depth in range(1, 5):
    h = torch.sigmoid(3 * h)
    h.register_hook(watch("depth %d" % depth))
h.backward()
print("input: {:.6f}".format(x.grad.item()))
