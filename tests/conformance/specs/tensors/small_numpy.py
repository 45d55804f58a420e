import numpy as np
import torch

np.random.seed(1)
x = np.random.randn(5, 2).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int64)
print(x, x.dtype, x.shape, y)
X, Y = torch.from_numpy(x), torch.from_numpy(y)
print(X.dtype, Y)
print(np.mean(x), np.std(x, axis=0), x.sum(axis=1, keepdims=True).shape)
a = np.array([[1, 2], [3, 4]])
print(a @ a, np.dot(a, a), a.T, a.reshape(-1), a * 2.5, a.dtype, a[0, 1], a[:, 0])
print(np.zeros((2, 2)), np.ones(3), np.eye(2), np.full((2,), 7), np.arange(0, 1, 0.25), np.linspace(0, 1, 3))
print(np.random.rand(2), np.random.uniform(-1, 1, size=(2, 2)), np.random.randint(0, 10, 5), np.random.normal(0, 1, 3))
print(np.random.permutation(5), np.random.choice([1, 2, 3], 2))
print(np.sin(np.pi / 2), np.exp([0.0, 1.0]), np.sqrt(2), np.allclose(a, a + 1e-9), np.argmax(a), np.where(a > 2, a, 0))
print(
    np.concatenate([a, a], axis=1), np.stack([a, a]).shape, np.vstack([a, a]).shape, np.clip(a, 2, 3), np.linalg.norm(a)
)
t = torch.tensor(a, dtype=torch.float32, requires_grad=True)
t.sum().backward()
print(t.grad.numpy(), t.detach().numpy(), np.array([0.5, 1]).tolist(), float(np.mean([1.0, 2.0])))
losses = []
for i in range(3):
    losses.append(1.0 / (i + 1))
print(f"mean loss {np.mean(losses):.4f} {np.max(losses)}", np.round(np.array([1.234, 5.678]), 1))
try:
    t.numpy()
except RuntimeError as e:
    print(e)
print(
    np.random.seed(0),
    np.random.random(2),
    isinstance(a, np.ndarray),
    torch.as_tensor(np.array([1.0, 2.0])),
)
idx = np.arange(4)
np.random.shuffle(idx)
print(idx)
print(
    torch.tensor(np.array([True, False])),
    torch.Tensor(np.array([1, 2])),
)
