# An exponential moving average of the weights.
import torch
from torch import nn


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters()}

    def update(self, model):
        for n, p in model.named_parameters():
            self.shadow[n].mul_(self.decay).add_(p.detach(), alpha=1 - self.decay)

    def __repr__(self):
        return f"EMA(decay={self.decay}, {len(self.shadow)} tensors)"


model = nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(0)
    model.bias.fill_(0)
ema = EMA(model, 0.9)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, t = torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0], [5.0]])
for step in range(20):
    opt.zero_grad()
    ((model(x) - t) ** 2).mean().backward()
    opt.step()
    ema.update(model)
print(ema)
print(f"{model.weight.item():.4f} {ema.shadow['weight'].item():.4f}")
print({k: round(v.item(), 3) for k, v in ema.shadow.items()})
