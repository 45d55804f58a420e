"""A net of two layers with fixed weights, and the loss of one batch.

The loss is one number; after backward() every parameter holds, in its own shape, how that number
answers to it. The input asked for its gradient too, so it has one as well.
"""

import torch
import torch.nn as nn


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 3)
        self.activation = nn.ReLU()
        self.fc2 = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc2(self.activation(self.fc1(x)))


model = SmallNet()
with torch.no_grad():
    model.fc1.weight.copy_(torch.tensor([[0.5, -0.4], [0.3, 0.8], [-0.6, 0.1]]))
    model.fc1.bias.copy_(torch.tensor([0.1, -0.2, 0.3]))
    model.fc2.weight.copy_(torch.tensor([[0.7, -0.5, 0.9]]))
    model.fc2.bias.fill_(0.3)

x = torch.tensor([[0.5, 0.3], [1.0, -1.0], [0.0, 2.0], [-1.5, 0.5]], requires_grad=True)
t = torch.tensor([[1.0], [0.0], [0.5], [1.0]])

out = model(x)
loss = nn.MSELoss()(out, t)
loss.backward()

print(model)
print(out)
print(loss)
for name, parameter in model.named_parameters():
    print(f"{name}: {parameter.grad}")
print(f"x: {x.grad}")
