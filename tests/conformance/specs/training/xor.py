# XOR needs a hidden layer.
import torch
from torch import nn, optim

torch.manual_seed(2)
X = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float)
T = torch.tensor([[0], [1], [1], [0]], dtype=torch.float)


class XOR(nn.Module):
    def __init__(self):
        super(XOR, self).__init__()
        self.hidden = nn.Linear(2, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        x = torch.tanh(self.hidden(x))
        return torch.sigmoid(self.out(x))


net = XOR()
opt = optim.Adam(net.parameters(), lr=0.05)
for step in range(300):
    opt.zero_grad()
    loss = nn.functional.binary_cross_entropy(net(X), T)
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"step {step:<4}loss {loss.item():.4f}")
with torch.no_grad():
    answers = net(X).round().int().flatten().tolist()
for row, answer in zip(X.int().tolist(), answers):
    print(row, "->", answer)
assert answers == [0, 1, 1, 0]
