import torch
from torch.autograd.graph import (
    GradientEdge,
    Node,
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
    save_on_cpu,
    saved_tensors_hooks,
)

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
e = get_gradient_edge(y)
print(type(e).__name__, e.node.name(), e.output_nr, isinstance(e, GradientEdge))
print(isinstance(e.node, Node), isinstance(y.grad_fn, Node))
z = (y ** 2).sum()
print(torch.autograd.grad(z, e, retain_graph=True))
h = register_multi_grad_hook((x, y), lambda grads: print("all", [None if g is None else g.tolist() for g in grads]))
k = register_multi_grad_hook([x, y], lambda g: print("any", g.tolist()), mode="any")
z.backward(retain_graph=True)
h.remove()
z.backward()
k.remove()
try:
    register_multi_grad_hook((x,), print, mode="some")
except ValueError as err:
    print(err)
with allow_mutation_on_saved_tensors() as ctx:
    a = torch.ones(2, requires_grad=True)
    b = a.clone()
    c = (b ** 2).sum()
    b.mul_(5)
    c.backward()
    print(a.grad, b)
try:
    with disable_saved_tensors_hooks("not here"):
        with saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
except RuntimeError as err:
    print(err)
with save_on_cpu():
    w = (x * x).sum()
w.backward()
t = torch.ones(2, requires_grad=True)
u = t * 1
v = u ** 2
increment_version(u)
try:
    v.sum().backward()
except RuntimeError as err:
    print(str(err)[:90])
print(x.grad)
node, nr, token = e
print(nr, e == get_gradient_edge(y), e[1])
