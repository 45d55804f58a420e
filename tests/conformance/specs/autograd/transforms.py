# Functions of functions: gradients, Jacobians, batches.
import torch
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap

f = lambda x: (x**3).sum()
x = torch.tensor([1.0, 2.0])
print(grad(f)(x), grad(grad(lambda t: t**3))(torch.tensor(2.0)))
print(grad(lambda x, y: (x * y).sum(), argnums=1)(x, x + 1), grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, x + 1))
print(grad(lambda x: ((x**2).sum(), x * 2), has_aux=True)(x))
out, vf = vjp(torch.sin, x)
print(out, vf(torch.ones(2)))
print(jvp(torch.sin, (x,), (torch.ones(2),)))
print(jacrev(torch.sin)(x), jacfwd(torch.exp)(x), hessian(f)(x))
print(vmap(lambda a, b: a @ b)(torch.arange(6.0).reshape(3, 2), torch.ones(3, 2)))
print(vmap(grad(lambda t: torch.sin(t)))(torch.linspace(0, 1, 4)))
print(vmap(torch.dot, in_dims=(0, None))(torch.arange(6.0).reshape(3, 2), torch.ones(2)))
print(grad_and_value(f)(x))
m = torch.nn.Linear(2, 1)
torch.nn.init.constant_(m.weight, 1.0)
torch.nn.init.zeros_(m.bias)
params = dict(m.named_parameters())


def loss(params, x):
    return functional_call(m, params, (x,)).sum()


g = grad(loss)(params, x)
print({k: v for k, v in g.items()})
p2 = {k: v.detach() * 2 for k, v in params.items()}
print(functional_call(m, p2, x), m(x).detach())
ps = vmap(grad(lambda p, x: functional_call(m, p, (x,)).sum()), in_dims=(None, 0))(p2, torch.arange(6.0).reshape(3, 2))
print(ps)
print(torch.vmap(torch.sum)(torch.ones(2, 3)), torch.func.jacrev(lambda x: x**2)(torch.tensor(3.0)))
