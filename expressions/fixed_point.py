"""The derivative of a fixed point, by two roads.

h solves h = tanh(w * h + b). Unrolled, the gradient runs back through every iteration. Implicitly,
one iteration at the solution is enough: dh/dw = (df/dw) / (1 - df/dh), whatever road led there.
"""

import torch

w = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
b = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)

h = torch.zeros((), dtype=torch.float64)
for iteration in range(60):
    h = torch.tanh(w * h + b)
    if iteration in (0, 4, 9, 19, 59):
        print(f"iteration {iteration + 1:2d}: h = {h.item():.10f}")

solution = h.detach().requires_grad_()
f = torch.tanh(w * solution + b)
df_dh, df_dw, df_db = torch.autograd.grad(f, (solution, w, b))

h.backward()
print(f"dh/dw  unrolled {w.grad.item():.10f}  implicit {(df_dw / (1 - df_dh)).item():.10f}")
print(f"dh/db  unrolled {b.grad.item():.10f}  implicit {(df_db / (1 - df_dh)).item():.10f}")
