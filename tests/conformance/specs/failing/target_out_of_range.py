# A class number that the scores do not have.
import torch
import torch.nn.functional as F

logits = torch.zeros(2, 3, requires_grad=True)
target = torch.tensor([0, 3])
loss = F.cross_entropy(logits, target)
print(loss)
