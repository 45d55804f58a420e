# gather, scatter, index_select, take_along_dim, one_hot.
import torch
import torch.nn.functional as F

logp = torch.tensor([[-0.1, -2.3, -3.0], [-1.2, -0.4, -5.0]])
target = torch.tensor([[0], [1]])
print(logp.gather(1, target))
print(logp.gather(1, target).squeeze(1), logp[torch.arange(2), target.squeeze(1)])
print(torch.zeros(2, 3).scatter_(1, target, 1.0))
print(F.one_hot(torch.tensor([2, 0, 1]), num_classes=4))
counts = torch.zeros(4).index_add_(0, torch.tensor([0, 2, 2, 3]), torch.ones(4))
print(counts, torch.zeros(3).scatter_add_(0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0])))
print(logp.index_select(1, torch.tensor([2, 0])))
print(torch.take(logp, torch.tensor([0, 5])), logp.masked_select(logp > -1))
print(logp.masked_fill(logp < -2, 0.0), torch.take_along_dim(logp, logp.argsort(1), 1))
