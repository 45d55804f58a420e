# The same line with nn.Linear, MSELoss and SGD.
import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
Y = 2 * X - 1
model = nn.Linear(1, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for epoch in range(1, 101):
    y_pred = model(X)
    loss = criterion(y_pred, Y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 25 == 0:
        [w, b] = model.parameters()
        print("epoch: {:3d}, w: {:.4f}, b: {:.4f}, loss: {:.6f}".format(epoch, w[0][0].item(), b.item(), loss.item()))
print(criterion, optimizer.__class__.__name__)
print(model(torch.tensor([[5.0]])).item() > 8)
