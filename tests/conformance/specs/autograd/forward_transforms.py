# torch.func in forward mode: one call of the function, nested levels, what no_grad and detach do.
import torch
from torch.autograd import functional
from torch.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vmap

x, v = torch.tensor([1.0, 2.0]), torch.tensor([0.5, 1.0])


def told(function, *args, **kwargs):
    try:
        print(function(*args, **kwargs))
    except (RuntimeError, ValueError, TypeError, NotImplementedError, AssertionError) as e:
        print(e)


def seen(x):
    print("called with", x.requires_grad)
    return x * x.sum()


def unrecorded(x):
    with torch.no_grad():
        return x * 2


print(jvp(seen, (x,), (v,)), jacfwd(seen)(x))
value, product = linearize(lambda x: (x * x.sin(), x.sum()), x)
print(value, product(v), product(2 * v))
print(jvp(unrecorded, (x,), (v,)), jacfwd(unrecorded)(x))
print(jvp(lambda x: x.detach() * x, (x,), (v,)))
print(jvp(lambda x: {"a": x.sum(), "b": [x * 2]}, (x,), (v,)))
print(jvp(lambda x: (x * 2, x.sum()), (x,), (v,), has_aux=True))
print(jacfwd(lambda x, y: {"a": x * y.sum(), "b": (x,)}, argnums=(0, 1))(x, v))
cubes = lambda x: (x.exp() * x.sum()).sum()
print(hessian(cubes)(x), jacfwd(jacfwd(cubes))(x), jacrev(jacfwd(cubes))(x), jacfwd(jacrev(cubes))(x))
print(grad(lambda x: jvp(lambda y: (y**3).sum() * x.sum(), (x,), (v,))[1])(x))
print(jvp(lambda x: jvp(lambda y: y**3 * x, (x,), (v,))[1], (x,), (v,)))
print(jvp(grad(lambda x: (x**3).sum()), (x,), (v,)))
print(vmap(lambda t: jvp(torch.sin, (x,), (t,))[1])(torch.eye(2)))
leaf = v.clone().requires_grad_()
_, slope = jvp(lambda x: x.sin().sum(), (leaf,), (x,))
slope.backward()
print(leaf.grad)
print(functional.jacobian(torch.sin, x, vectorize=True, strategy="forward-mode"))
print(functional.jacobian(lambda x, y: (x * y.sum(), x), (x, v), vectorize=True, strategy="forward-mode"))
told(functional.jacobian, torch.sin, x, strategy="forward-mode")
told(functional.jacobian, torch.sin, x, create_graph=True, strategy="forward-mode")
told(functional.jacobian, torch.sin, x, strict=True, strategy="forward-mode")
told(functional.jacobian, torch.sin, x, strategy="sideways")
told(jvp, torch.sin, (x,), (torch.ones(3),))
told(jvp, torch.sin, x, v)
told(jvp, torch.sin, (x,), (3.0,))
told(jvp, torch.sin, (3.0,), (v,))
told(jvp, torch.sin, (torch.ones(2, dtype=torch.int64),), (v,))
told(jvp, lambda x: 3.0, (x,), (v,))
print(jvp(lambda x: torch.ones(2), (x,), (v,)))
told(jvp, lambda x: torch.ones(2), (x,), (v,), strict=True)
