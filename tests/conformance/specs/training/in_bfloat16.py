import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(torch.bfloat16)
x = torch.randn(16, 4, dtype=torch.bfloat16)
target = (x.sum(1, keepdim=True) > 0).to(torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), target)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
print(model[0].weight.dtype, model[2].bias)
