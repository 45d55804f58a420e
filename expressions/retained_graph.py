"""One graph walked twice, gradients that accumulate, and the gradient of a value in between.

backward() frees what the graph has saved, unless retain_graph=True. A second walk adds to the
gradients of the first; a walk through what is freed is an error.
"""

import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * x
h.retain_grad()
y = h * 3

y.backward(retain_graph=True)
print("after one walk: ", x.grad, h.grad)
y.backward()
print("after two walks:", x.grad, h.grad)

try:
    y.backward()
except RuntimeError as error:
    print("a third walk:", str(error).split(" (")[0])

x.grad.zero_()
print("reset:", x.grad)
