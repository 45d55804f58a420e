# The names of the nodes, met by walking from the result.
import torch

x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()

node = out.grad_fn
while node is not None:
    print(node.name())
    inputs = node.next_functions
    node = inputs[0][0] if len(inputs) > 0 else None

for t in (x, y, z, out):
    if t.grad_fn is None:
        print("no grad_fn")
    else:
        print(type(t.grad_fn).__name__)
