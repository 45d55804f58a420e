# Welford's running mean and variance, against torch.
import torch


class Running:
    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def update(self, value):
        self.n += 1
        delta = value - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (value - self.mean)
        return self

    @property
    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else float("nan")

    def __repr__(self):
        return f"{type(self).__name__}(n={self.n}, mean={self.mean:.4f}, var={self.variance:.4f})"


class Meter(Running):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def __str__(self):
        return f"{self.name}: {self.mean:.3f}"


torch.manual_seed(4)
data = torch.randn(50, dtype=torch.float64)
r, m = Running(), Meter("loss")
print(r)
for v in data:
    r.update(v.item())
    m.update(abs(v.item()))
print(r)
print(abs(r.mean - data.mean().item()) < 1e-12, abs(r.variance - data.var().item()) < 1e-12)
print(m, repr(m), [m], sep="\n")
print(Running().update(1).update(2).update(3))
