"""The mean of a matrix product, and its graph followed by hand from the root to the leaves.

next_functions holds one (node, number) pair for each input of an operation. The constant 2.0 has no
history, so its place is None. Each entry of x.grad is a mean over a row of w, and the other way round.
"""

import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
w = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], requires_grad=True)

y = torch.mm(x, w)
z = y + 2.0
loss = z.mean()
print(f"loss = {loss.item():.4f}, x.grad before backward: {x.grad}")

mean = loss.grad_fn
add = mean.next_functions[0][0]
product = add.next_functions[0][0]
print(" -> ".join([type(node).__name__ for node in (mean, add, product)]))
print("the constant:", add.next_functions[1])
for node, number in product.next_functions:
    leaf = "x" if node.variable is x else "w"
    print(f"{type(node).__name__} of {leaf}, output {number}")

loss.backward()
print(x.grad)
print(w.grad)
