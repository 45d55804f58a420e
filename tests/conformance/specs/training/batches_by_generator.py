import torch


def batches(x, y, size):
    n = x.shape[0]
    for i in range(0, n, size):
        yield x[i:i + size], y[i:i + size]

torch.manual_seed(0)
X = torch.randn(10, 3)
Y = X @ torch.tensor([1.0, -2.0, 0.5]) + 0.3
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(3):
    total = 0.0
    for xb, yb in batches(X, Y, 4):
        loss = ((xb @ w + b - yb) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
            w.grad.zero_()
            b.grad.zero_()
        total += loss.item() * len(xb)
    print(f"epoch {epoch}: {total / len(X):.4f}")
print(w, b)
