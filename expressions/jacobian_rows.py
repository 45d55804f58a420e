"""A Jacobian, row by row: one backward pass for each output.

From polar to Cartesian coordinates. The graph is walked twice, so it has to be retained; the
determinant of the result is the r in the area element r dr dphi.
"""

import torch

p = torch.tensor([2.0, 0.6], dtype=torch.float64, requires_grad=True)


def cartesian(p):
    r, phi = p
    return torch.stack([r * torch.cos(phi), r * torch.sin(phi)])


out = cartesian(p)
rows = []
for i in range(len(out)):
    (row,) = torch.autograd.grad(out[i], p, retain_graph=True)
    rows.append(row)
jacobian = torch.stack(rows)

print(jacobian)
print("library:", torch.allclose(jacobian, torch.autograd.functional.jacobian(cartesian, p)))
print(f"determinant {torch.linalg.det(jacobian).item():.6f}, r = {p[0].item()}")

distance = (out - torch.tensor([1.0, 1.0], dtype=torch.float64)).norm()
distance.backward()
print("gradient of the distance to (1, 1):", p.grad)
