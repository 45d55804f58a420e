"""A recurrent net unrolled over six steps, and how its gradient fades on the way back.

The same weights act at every step, so their gradients are sums over the steps. On its way to an
earlier state the gradient is multiplied by u and by 1 - h^2 once a step.
"""

import torch

x = torch.tensor([0.5, -0.3, 0.8, 0.1, -0.6, 0.4])
w = torch.tensor(0.7, requires_grad=True)
u = torch.tensor(0.6, requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)

h = torch.zeros(())
states = []
for value in x:
    h = torch.tanh(w * value + u * h + b)
    h.retain_grad()
    states.append(h)

loss = (h - 1) ** 2
loss.backward()

for step, state in enumerate(states, start=1):
    bar = "#" * round(40 * abs(state.grad.item()))
    print(f"step {step}  h = {state.item():+.4f}  dloss/dh = {state.grad.item():+.5f}  {bar}")
print(f"dloss/dw = {w.grad.item():+.5f}")
print(f"dloss/du = {u.grad.item():+.5f}")
print(f"dloss/db = {b.grad.item():+.5f}")
