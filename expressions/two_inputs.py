"""A product of two sums, y = (a + b) * (b + 1), and the graph that it leaves behind.

b reaches y along two paths, through c and through d. Its gradient is the sum of what comes back
along each: dy/dc = d by the first, dy/dd = c by the second.
"""

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)

c = a + b
d = b + 1
y = c * d

print(y)
print("inputs of the product:", [type(fn).__name__ for fn, _ in y.grad_fn.next_functions])
print("inputs of c = a + b:  ", [type(fn).__name__ for fn, _ in c.grad_fn.next_functions])
print("the 1 in d = b + 1:   ", d.grad_fn.next_functions[1])

y.backward()
print(f"dy/da = {a.grad}, by hand b + 1 = {b.item() + 1}")
print(f"dy/db = {b.grad} = {d.item()} through c + {c.item()} through d")
