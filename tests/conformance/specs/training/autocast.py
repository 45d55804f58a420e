import torch
from torch import nn
from torch.amp import autocast, custom_bwd, custom_fwd

torch.manual_seed(0)
m = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 10))
opt = torch.optim.SGD(m.parameters(), lr=0.1)
x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 10, (8,))
for step in range(3):
    opt.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        out = m(x)
        loss = nn.functional.cross_entropy(out, y)
    loss.backward()
    opt.step()
    print(step, out.dtype, loss.dtype, round(loss.item(), 1))
print(m[0].weight.grad.dtype, torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))

@torch.autocast("cpu")
def f(a, b):
    print(torch.is_autocast_enabled("cpu"), torch.is_autocast_cpu_enabled())
    with torch.autocast("cpu", enabled=False):
        c = a @ b
    return (a @ b).dtype, c.dtype

print(f(torch.ones(2, 2), torch.ones(2, 2)))

w = torch.ones(2, 2, requires_grad=True)
with autocast("cpu"):
    p = w @ w
    q = w @ w
    print(p.grad_fn.next_functions[0][0] is q.grad_fn.next_functions[0][0], p.grad_fn.next_functions[0][0].name())
with autocast("cpu", cache_enabled=False):
    p = w @ w
    q = w @ w
    print(p.grad_fn.next_functions[0][0] is q.grad_fn.next_functions[0][0])
with autocast("cpu"):
    print((torch.ones(2, 2, dtype=torch.float64) @ torch.ones(2, 2, dtype=torch.float64)).dtype)
    print(torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype, torch.ones(2).sum().dtype)
    print(nn.functional.mse_loss(w @ w, w).dtype)

class Sq(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a):
        ctx.save_for_backward(a)
        print("fwd", a.dtype, torch.is_autocast_enabled("cpu"))
        return a @ a

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        print("bwd", g.dtype, torch.is_autocast_enabled("cpu"))
        return g @ a.T + a.T @ g

with autocast("cpu"):
    s = Sq.apply(w.bfloat16())
s.sum().backward()
print(w.grad, s.dtype)
try:
    with autocast("cpu", enabled=False, dtype=torch.float64):
        print((w @ w).dtype)
except RuntimeError as e:
    print(e)
with torch.no_grad(), torch.cpu.amp.autocast(dtype=torch.bfloat16):
    print((w @ w).dtype)
