# Dual numbers: tangents through ops, views and writes, and what is refused.
import torch
import torch.autograd.forward_ad as fwAD

x = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([0.5, 1.0])


def told(function, *args, **kwargs):
    try:
        print(function(*args, **kwargs))
    except (RuntimeError, ValueError, TypeError) as e:
        print(e)


told(fwAD.make_dual, x, v)
told(fwAD.exit_dual_level)
print(fwAD.unpack_dual(x))
with fwAD.dual_level():
    d = fwAD.make_dual(x, v)
    print(d, d.requires_grad)
    y = (d * d).sin()
    p, t = fwAD.unpack_dual(y)
    print(p, t, fwAD.unpack_dual(y).primal, fwAD.unpack_dual(torch.ones(2)))
    print(fwAD.unpack_dual(d.detach()).tangent, fwAD.unpack_dual((d * 2).int()).tangent)
    told(fwAD.enter_dual_level)
    told(fwAD.make_dual, x, torch.ones(3))
    told(fwAD.make_dual, x, torch.ones(2, dtype=torch.int64))
    told(fwAD.make_dual, torch.ones(2, dtype=torch.int64), v)
    told(fwAD.make_dual, d, v)
    told(fwAD.make_dual, x, d)
    told(fwAD.make_dual, x, v, level=1)
    told(fwAD.unpack_dual, y, level=1)
    told(fwAD.exit_dual_level, level=3)
    told(torch.func.jvp, torch.sin, (v,), (v,))
print(d, y.grad_fn is not None)

with fwAD.dual_level():
    # Views share the tangents of their base, whoever is written to.
    a = fwAD.make_dual(torch.ones(2), v.clone())
    b = a * 1
    b[0] = 0.0
    print(b)
    c = torch.zeros(3)
    c[1:] = a
    print(c, c[1:], c.view(3, 1))
    z = torch.zeros(2, 2)
    row = z[0]
    row.copy_(a)
    z.mul_(3)
    print(z, row, z.t()[0])
    z.zero_()
    print(z, row)
    w = a * 2
    w.unsqueeze_(0).t_()
    print(w)
    plain = torch.ones(2)
    plain += a
    print(plain, plain.max(), plain.sort().values)
    with torch.no_grad():
        print(a * 3, a.exp_())
    first, second = (a * 2).split(1)
    print(first, second, torch.stack([a, a * a]).softmax(0))

# A tangent is differentiated itself, and so is a gradient.
with fwAD.dual_level():
    d = fwAD.make_dual(x, v)
    t = fwAD.unpack_dual((d ** 3).sum()).tangent
    (h,) = torch.autograd.grad(t, x)
    print(t, h)
    (g,) = torch.autograd.grad((d ** 3).sum(), x)
    print(g)
    (d ** 3).sum().backward()
    print(x.grad)

level = fwAD.enter_dual_level()
print(level, fwAD.make_dual(torch.ones(()), torch.ones(()) * 3))
fwAD.exit_dual_level(level=level)


@fwAD.dual_level()
def slope(x, v):
    return fwAD.unpack_dual(fwAD.make_dual(x, v).exp().sum()).tangent


print(slope(x, v))
lin = torch.nn.Linear(2, 2)
params = {name: torch.full_like(p, 0.5) for name, p in lin.named_parameters()}
with fwAD.dual_level():
    duals = {name: fwAD.make_dual(p, torch.ones_like(p)) for name, p in params.items()}
    print(torch.func.functional_call(lin, duals, (v,)))
