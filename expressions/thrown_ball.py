"""A ball thrown through air, and a gradient through the integrator.

Euler steps of gravity and drag are operations like any other, so the distance from the target can be
differentiated with respect to the throw. A few steps of descent find a throw that hits.
"""

import torch

gravity = torch.tensor([0.0, -9.81])
target = torch.tensor([12.0, 0.0])
throw = torch.tensor([8.0, 6.0], requires_grad=True)


def fly(velocity, steps=75, dt=0.02, drag=0.03):
    position = torch.zeros(2)
    for _ in range(steps):
        acceleration = gravity - drag * velocity.norm() * velocity
        position = position + dt * velocity
        velocity = velocity + dt * acceleration
    return position


for attempt in range(7):
    landing = fly(throw)
    miss = ((landing - target) ** 2).sum()
    throw.grad = None
    miss.backward()
    if attempt % 2 == 0:
        x, y = landing.tolist()
        print(f"attempt {attempt}: after 1.5 s at ({x:6.3f}, {y:6.3f}), miss {miss.item():.5f}")
    with torch.no_grad():
        throw -= 0.3 * throw.grad

print("the throw that hits:", throw.detach())
