import torch


def told(f):
    try:
        print(f())
    except RuntimeError as e:
        print("RuntimeError:", e)


p = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for i in range(2):
    (p * p).sum().backward()
    with torch.no_grad():
        p[:] -= 0.1 * p.grad
        p[1] *= 2
        row = p[:2]
        row += 1
        row.mul_(2)
        print(row + 1, torch.cat([row, row]), row.sum(), row.requires_grad)
        p[:2] = row
    p.grad.data.zero_()
    print(p)
told(lambda: row * 2)
told(lambda: row.requires_grad)
told(lambda: row.detach())
with torch.no_grad():
    fresh = p[:1]
print(fresh * 2)
m = torch.ones(2, 2, requires_grad=True)
with torch.no_grad():
    v = m.view(-1)
    m.zero_()
    told(lambda: v + 1)
told(lambda: v + 1)
