"""backward() of a vector: which mixture of the outputs is meant?

A gradient belongs to one number. For a vector y, backward(v) gives the gradient of the number v · y,
which is v times the Jacobian, without ever building the Jacobian.
"""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x[1] * x[2], x.sum() ** 2])
v = torch.tensor([1.0, 0.5, 0.1])

try:
    y.backward()
except RuntimeError as error:
    print("without a vector:", error)

y.backward(v, retain_graph=True)
print("backward(v):  ", x.grad)

x.grad = None
mixture = (v * y).sum()
mixture.backward()
print("of the number:", x.grad)
