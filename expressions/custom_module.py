"""A module of our own: parameters learn, buffers do not, both belong to it.

A damped oscillation is fitted to ten measurements. The times are a buffer, since nobody wants to
learn them; frequency and damping are parameters, so the optimizer finds them.
"""

import torch
import torch.nn as nn


class Oscillation(nn.Module):
    def __init__(self, times):
        super().__init__()
        self.register_buffer("times", times)
        self.frequency = nn.Parameter(torch.tensor(1.6))
        self.damping = nn.Parameter(torch.tensor(0.0))

    def forward(self):
        return torch.exp(-self.damping * self.times) * torch.cos(self.frequency * self.times)

    def extra_repr(self):
        return f"{len(self.times)} times"


times = torch.linspace(0, 4, 10)
measured = torch.exp(-0.3 * times) * torch.cos(2 * times)

model = Oscillation(times)
print(model)
print("parameters:", [name for name, _ in model.named_parameters()])
print("buffers:   ", [name for name, _ in model.named_buffers()])

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(101):
    loss = ((model() - measured) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step:3d}  loss {loss.item():.6f}", end="  ")
        print(f"frequency {model.frequency.item():.3f}  damping {model.damping.item():.3f}")
