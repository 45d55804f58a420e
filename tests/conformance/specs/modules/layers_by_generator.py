import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
    def hidden(self, x):
        for i, l in enumerate(self.layers):
            x = l(x)
            if i < len(self.layers) - 1:
                x = torch.tanh(x)
            yield x
    def weights(self):
        for name, p in self.named_parameters():
            if "weight" in name:
                yield name, p
    def forward(self, x):
        *_, out = self.hidden(x)
        return out
torch.manual_seed(0)
m = MLP([2, 4, 4, 1])
x = torch.randn(3, 2)
y = m(x)
y.sum().backward()
for n, p in m.weights():
    print(n, p.shape, f"{p.grad.norm():.4f}")
for h in m.hidden(x):
    print(h.grad_fn, h.shape)
print(m)
