import torch

x = torch.arange(6.).reshape(2, 3); y = torch.ones(2, 3)
z = torch.empty(2, 3)
print(torch.add(x, y, out=z), z)
r = torch.mul(x, x, out=z); print(r is z)
torch.matmul(x, y.T, out=torch.empty(2, 2))
w = torch.empty(0); torch.matmul(x, y.T, out=w); print(w, w.shape)
torch.exp(x, out=x); print(x)
w = torch.empty(0); torch.cat([y, y], dim=1, out=w); print(w.shape)
o, i = torch.empty(2), torch.empty(2, dtype=torch.long)
print(torch.max(x, 1, out=(o, i))); print(o, i)
o = torch.empty(3); torch.sum(y, dim=0, out=o); print(o)
torch.manual_seed(0); torch.randn(3, out=o); print(o)
d = torch.empty(3, dtype=torch.float64); torch.rand(3, out=d); print(d)
w = torch.empty(4); torch.arange(4, out=w); print(w)
n = torch.empty(3, dtype=torch.long)
try: torch.add(torch.ones(3), 1, out=n)
except RuntimeError as e: print(e)
torch.add(torch.ones(3, dtype=torch.long), 1, out=o); print(o)
p = torch.ones(3, requires_grad=True)
refused = (
    lambda: torch.mul(p, 2, out=o),
    lambda: torch.mul(o, 2, out=p),
    lambda: torch.sigmoid(p, out=torch.empty(3)),
    lambda: torch.matmul(p, p, out=torch.empty(())),
)
for f in refused:
    try: f()
    except RuntimeError as e: print(e)
with torch.no_grad():
    torch.mul(p, 2, out=o); print(o)
b = torch.empty(3, dtype=torch.bool); torch.gt(o, 1, out=b); print(b)
torch.logical_and(b, ~b, out=b); print(b)
