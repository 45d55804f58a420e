"""Learning to learn: a gradient through a gradient step.

Each task is a parabola with its own minimum and its own steepness. From the common start w one step
of descent is taken on the task; what counts is the loss after it. create_graph=True keeps that step
differentiable, so both the start and the size of the step can be learned.
"""

import torch

tasks = ((1.0, 0.5), (2.0, 1.0), (4.0, 1.5))
w = torch.tensor(0.0, requires_grad=True)
rate = torch.tensor(0.1, requires_grad=True)


def task_loss(w, minimum, steepness):
    return steepness * (w - minimum) ** 2


def adapted(minimum, steepness):
    (g,) = torch.autograd.grad(task_loss(w, minimum, steepness), w, create_graph=True)
    return w - rate * g


optimizer = torch.optim.SGD([w, rate], lr=0.005)
for step in range(201):
    loss = sum(task_loss(adapted(*task), *task) for task in tasks) / len(tasks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d}  loss after an inner step {loss.item():.4f}  w {w.item():.3f}  rate {rate.item():.3f}")

for minimum, steepness in tasks:
    print(f"minimum {minimum}: one step leads from {w.item():.2f} to {adapted(minimum, steepness).item():.2f}")
