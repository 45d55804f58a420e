"""Fine-tuning: the first layer is frozen, the second one learns.

What does not require a gradient is not recorded, so the graph ends at the second layer and the
frozen weights have no gradient at all: None, which is not the same as zero.
"""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
for parameter in model[0].parameters():
    parameter.requires_grad_(False)

x = torch.tensor([[0.0, 1.0], [1.0, 0.5], [-1.0, 2.0]])
t = torch.tensor([[1.0], [0.0], [2.0]])
before = {name: parameter.clone() for name, parameter in model.named_parameters()}
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)

for step in range(101):
    hidden = model[1](model[0](x))
    loss = ((model[2](hidden) - t) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d}  loss {loss.item():.4f}")

print("the hidden values are recorded:", hidden.requires_grad)
for name, parameter in model.named_parameters():
    state = "frozen" if parameter.grad is None else "learns"
    print(f"{name}: {state}, moved {not torch.equal(parameter, before[name])}")
