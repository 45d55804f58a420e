# A cubic fitted to a curve through its powers, with a formatted result.
import torch

x = torch.linspace(0, 2, 40)
y = torch.exp(-x) * 3 + 0.5
p = torch.tensor([1, 2, 3])
xx = x.unsqueeze(-1).pow(p)
print(xx.shape)

model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
with torch.no_grad():
    for q in model.parameters():
        q.fill_(0.0)
loss_fn = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for t in range(1, 401):
    loss = loss_fn(model(xx), y)
    if t % 100 == 0:
        print(t, f"{loss.item():.3f}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
linear = model[0]
print(f"y = {linear.bias.item():.2f} + {linear.weight[0, 0].item():.2f} x + {linear.weight[0, 2].item():.2f} x^3")
