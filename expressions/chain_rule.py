"""The chain rule, link by link: y = sin(exp(x^2)).

Each link multiplies what comes back by its own local derivative. The gradients that the values in
between retain are the products so far.
"""

import math

import torch

x = torch.tensor(0.3, requires_grad=True)
u = x**2
v = torch.exp(u)
y = torch.sin(v)

u.retain_grad()
v.retain_grad()
y.backward()

dy_dv = math.cos(v.item())
dv_du = math.exp(u.item())
du_dx = 2 * x.item()
print("         local     so far    autograd")
print(f"dy/dv  {dy_dv:+.5f}  {dy_dv:+.5f}  {v.grad.item():+.5f}")
print(f"dv/du  {dv_du:+.5f}  {dy_dv * dv_du:+.5f}  {u.grad.item():+.5f}")
print(f"du/dx  {du_dx:+.5f}  {dy_dv * dv_du * du_dx:+.5f}  {x.grad.item():+.5f}")
