"""Forces are minus the gradient of the energy: three atoms that attract and repel each other.

The energy is a sum over pairs, and backward() gives all the forces at once. They add up to zero, for
the energy knows only differences. A few steps along them lead to a triangle of equal sides.
"""

import torch

positions = torch.tensor([[0.0, 0.0], [1.2, 0.1], [0.4, 1.0]], requires_grad=True)
pairs = ((0, 1), (0, 2), (1, 2))


def distance(i, j):
    return torch.linalg.norm(positions[i] - positions[j])


def pair_energy(r):
    return 4 * (r**-12 - r**-6)


for step in range(61):
    energy = sum(pair_energy(distance(i, j)) for i, j in pairs)
    positions.grad = None
    energy.backward()
    forces = -positions.grad
    if step == 0:
        print("forces at the start:")
        print(forces)
        print("their sum is zero:", torch.allclose(forces.sum(dim=0), torch.zeros(2), atol=1e-4))
    if step % 20 == 0:
        print(f"step {step:2d}  energy {energy.item():+.4f}")
    with torch.no_grad():
        positions += 0.001 * forces

sides = ", ".join([f"{distance(i, j).item():.3f}" for i, j in pairs])
print(f"sides {sides}; the best distance of a pair is {2 ** (1 / 6):.3f}")
