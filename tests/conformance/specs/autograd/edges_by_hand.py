from collections import namedtuple

import torch
from torch import nn
from torch.autograd.graph import GradientEdge

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
a, b = y.unbind()
z = a * 3 + b * 5
edges = [GradientEdge(y.grad_fn, 0), GradientEdge(a.grad_fn, 1), GradientEdge(*y.grad_fn.next_functions[0])]
print(torch.autograd.grad(z, edges, retain_graph=True))
torch.autograd.backward(GradientEdge(z.grad_fn, 0))
print(x.grad, edges[1].output_nr, isinstance(edges[0], GradientEdge))
print((x * 2).grad_fn._saved_other, (x * 0.5).grad_fn._saved_other)
try:
    GradientEdge(None, 0)
    torch.autograd.grad(z, GradientEdge(None, 0))
except RuntimeError as error:
    print(error)

Pair = namedtuple("Pair", "once twice")


class Twice(nn.Module):
    def forward(self, x):
        return Pair(x * 1, x * 2)


twice = Twice()
twice.register_full_backward_hook(lambda module, inner, outer: print(type(outer).__name__, outer))
pair = twice(x)
print(type(pair).__name__, pair.twice)
pair.twice.sum().backward()
print((x.half().to(x)).dtype, x.to(torch.ones(1, dtype=torch.bfloat16)).dtype)
w = torch.tensor([1 + 1j, 2 - 1j], requires_grad=True)
print(torch.autograd.grad((w ** 2).real.sum(), w), w ** 1)
factors = torch.geqrf(torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True))
try:
    factors.tau.sum().backward()
except NotImplementedError as error:
    print(error)
