# Two classes of points, sigmoid and binary cross entropy.
import torch
import torch.nn as nn

torch.manual_seed(123)
n = 20
pos = torch.randn(n, 2) + torch.tensor([2.0, 2.0])
neg = torch.randn(n, 2) - 2
X = torch.cat([pos, neg])
y = torch.cat((torch.ones(n), torch.zeros(n))).unsqueeze(1)
print(X.shape, y.shape)

model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
loss_fn = nn.BCELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(30):
    p = model(X)
    loss = loss_fn(p, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 10 == 0 or epoch == 29:
        acc = ((p > 0.5).float() == y).float().mean()
        print("Epoch %2d | loss %.4f | accuracy %.1f%%" % (epoch, loss.item(), 100 * acc.item()))
