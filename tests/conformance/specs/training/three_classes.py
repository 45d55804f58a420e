# Cross entropy over three clusters, in shuffled minibatches.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(11)
centers = torch.tensor([[0.0, 3.0], [3.0, -2.0], [-3.0, -2.0]])
labels = torch.arange(3).repeat_interleave(15)
points = centers[labels] + torch.randn(45, 2)

net = nn.Sequential(nn.Linear(2, 10), nn.ReLU(), nn.Linear(10, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
batch_size = 9
for epoch in range(5):
    order = torch.randperm(len(points))
    running = 0.0
    for i in range(0, len(points), batch_size):
        idx = order[i:i + batch_size]
        logits = net(points[idx])
        loss = F.cross_entropy(logits, labels[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    predicted = net(points).argmax(dim=1)
    correct = (predicted == labels).sum().item()
    print(f"epoch {epoch}: loss {running / len(points):.3f}, {correct}/{len(points)} correct")
