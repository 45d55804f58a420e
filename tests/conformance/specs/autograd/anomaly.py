import torch

with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = torch.sqrt(x) * torch.tensor([0.0, 1.0])
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(e)
with torch.autograd.detect_anomaly():
    z = (x * 2).sum()
    z.backward()
print(x.grad, torch.is_anomaly_enabled() if hasattr(torch, "is_anomaly_enabled") else False)
x.grad = None
(torch.sqrt(x) * torch.tensor([0.0, 1.0])).sum().backward()
print(x.grad)
a = torch.tensor(0.0, requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=False):
    torch.where(a > 0, a / a, a).backward()
print(a.grad)
b = torch.tensor([1.0], requires_grad=True)
torch.autograd.set_detect_anomaly(True)
try:
    ((b - 1) / (b - 1)).sum().backward()
except RuntimeError as e:
    print(e)
torch.autograd.set_detect_anomaly(False)
((b - 1) / (b - 1)).sum().backward()
print(b.grad)
c = torch.zeros(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    try:
        print(torch.autograd.grad(torch.atan2(c, c).sum(), c))
    except RuntimeError as e:
        print(e)
    try:
        print(torch.autograd.grad(c.norm() * 0 + (c / c).sum(), c))
    except RuntimeError as e:
        print(e)
