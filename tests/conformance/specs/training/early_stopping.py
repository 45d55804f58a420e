# Stop when the validation loss has not improved for a while.
import torch

torch.manual_seed(3)
x = torch.linspace(-1, 1, 12)
y = torch.sin(3 * x) + 0.2 * torch.randn(12)
train, valid = slice(0, 12, 2), slice(1, 12, 2)
features = torch.stack([x ** k for k in range(6)], dim=1)
w = torch.zeros(6, requires_grad=True)

best, best_epoch, patience = float("inf"), -1, 15
best_w = None
for epoch in range(2000):
    loss = ((features[train] @ w - y[train]) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w.sub_(w.grad, alpha=0.2)
        w.grad = None
        v = ((features[valid] @ w - y[valid]) ** 2).mean().item()
    if v < best - 1e-4:
        best, best_epoch, best_w = v, epoch, w.detach().clone()
    elif epoch - best_epoch >= patience:
        print("stopped early at epoch", epoch)
        break
else:
    print("ran to the end")
print(f"best epoch {best_epoch}, validation loss {best:.5f}")
print(best_w.round(decimals=3))
