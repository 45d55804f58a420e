import torch

d = torch.bfloat16
x = torch.tensor([1.1, 2.2, -3.3], dtype=d, requires_grad=True)
print(x, x.dtype, x.element_size(), torch.finfo(d))
y = (x * 0.1 + 2) * x / 3 - 1.5
z = torch.sigmoid(y).sum() + x.pow(2).mean() + torch.tanh(x).prod()
z.backward()
print(y, z, x.grad)
print(x.double(), x.detach().to(torch.float16), x.bfloat16() is x)
a = torch.zeros(4, dtype=d)
a[1] = 0.3
a[2:] += 0.07
a.mul_(3)
print(a, a.tolist(), torch.linspace(0, 1, 4, dtype=d))
torch.manual_seed(3)
print(torch.rand(3, dtype=d), torch.randn(3, dtype=d), torch.randint(0, 9, (3,), dtype=d))
w = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
h = w.bfloat16()
y = (h * h).sum().float() + w.sum()
y.backward()
print(w.grad, y)
