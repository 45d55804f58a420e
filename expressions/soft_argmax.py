"""A soft argmax: where is the peak, as a number that has a derivative?

argmax is an index, and a step of the scores either leaves it or makes it jump: nothing to learn from.
The mean position under softmax(sharpness * scores) moves smoothly, and tends to the argmax as the
sharpness grows.
"""

import torch

scores = torch.tensor([0.1, 0.3, 1.0, 0.8, 0.2], requires_grad=True)
positions = torch.arange(5.0)

hard = scores.argmax()
print("argmax:", hard.item(), "requires a gradient:", hard.requires_grad)
for sharpness in (1.0, 5.0, 25.0):
    soft = (torch.softmax(sharpness * scores, dim=0) * positions).sum()
    print(f"sharpness {sharpness:4.1f}: {soft.item():.4f}")

# Scores to the right of where we are pull to the right.
soft = (torch.softmax(5 * scores, dim=0) * positions).sum()
soft.backward()
weights = torch.softmax(5 * scores, dim=0).detach()
print("gradient:", scores.grad)
print("by hand: ", 5 * weights * (positions - soft.detach()))
