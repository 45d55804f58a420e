"""XOR, learned by a net of 2, 8 and 1 units in 500 steps.

No line separates the two classes, so a single layer cannot learn it; eight hidden units can. The
seed fixes the first weights, so the run is the same every time.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)

x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
t = torch.tensor([[0.0], [1.0], [1.0], [0.0]])

model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

for epoch in range(1, 501):
    loss = F.binary_cross_entropy_with_logits(model(x), t)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 100 == 0:
        print(f"epoch {epoch}  loss {loss.item():.4f}")

with torch.no_grad():
    answers = torch.sigmoid(model(x)).round()
for (left, right), answer in zip(x.tolist(), answers.flatten().tolist()):
    print(f"{left:.0f} xor {right:.0f} = {answer:.0f}")
