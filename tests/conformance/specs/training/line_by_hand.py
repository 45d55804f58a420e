# Linear regression with nothing but tensors.
import torch

X = torch.tensor([1.0, 2.0, 3.0, 4.0])
Y = torch.tensor([2.0, 4.0, 6.0, 8.0])
w = torch.tensor(0.0, requires_grad=True)


def forward(x):
    return w * x


def mse(y, y_pred):
    return ((y_pred - y) ** 2).mean()


print(f"Prediction before training: f(5) = {forward(5).item():.3f}")
learning_rate = 0.01
for epoch in range(60):
    loss = mse(Y, forward(X))
    loss.backward()
    with torch.no_grad():
        w -= learning_rate * w.grad
    w.grad.zero_()
    if (epoch + 1) % 20 == 0:
        print(f"epoch {epoch + 1}: w = {w.item():.3f}, loss = {loss.item():.8f}")
print(f"Prediction after training: f(5) = {forward(5).item():.3f}")
