import random

import torch

random.seed(42)
print(random.random(), random.randint(1, 10), random.uniform(-1, 1))
data = [(i, 2 * i + random.gauss(0, 0.1)) for i in range(5)]
random.shuffle(data)
print(data)
print(random.choice(["a", "b", "c"]), random.sample(range(10), 3))
torch.manual_seed(random.randint(0, 100))
print(torch.rand(2))
xs = torch.tensor([float(a) for a, _ in data])
ys = torch.tensor([b for _, b in data])
w = torch.tensor(0.0, requires_grad=True)
for _ in range(20):
    loss = ((w * xs - ys) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.02 * w.grad
    w.grad = None
print(f"{w.item():.5f} {loss.item():.6f}")
