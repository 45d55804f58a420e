"""Softmax and cross-entropy by hand, beside the library's.

The gradient with respect to the scores is the neatest in the field: the probabilities, minus one at
the right class, over the size of the batch. Each row of it adds up to zero.
"""

import torch
import torch.nn.functional as F

scores = torch.tensor([[2.0, 1.0, 0.1], [0.5, 2.5, -1.0]], requires_grad=True)
target = torch.tensor([0, 2])

exps = torch.exp(scores)
probabilities = exps / exps.sum(dim=1, keepdim=True)
loss = -torch.log(probabilities[torch.arange(2), target]).mean()
library = F.cross_entropy(scores, target)
print(f"by hand {loss.item():.6f}, library {library.item():.6f}")

(expected,) = torch.autograd.grad(library, scores)
loss.backward()
print("probabilities:", probabilities.detach())
print("gradient:", scores.grad)
print("library's gradient the same:", torch.allclose(scores.grad, expected, atol=1e-6))
one_hot = F.one_hot(target, num_classes=3)
print("(p - one hot) / 2 the same: ", torch.allclose(scores.grad, (probabilities - one_hot) / 2, atol=1e-6))
