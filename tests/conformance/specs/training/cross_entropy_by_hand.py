# Cross entropy is log_softmax followed by a look-up.
import torch
import torch.nn.functional as F

logits = torch.tensor([[2.0, 1.0, 0.1], [0.5, 2.5, -1.0]], requires_grad=True)
target = torch.tensor([0, 2])
loss = F.cross_entropy(logits, target)
print(loss)
log_p = logits - logits.logsumexp(dim=1, keepdim=True)
by_hand = -log_p[torch.arange(2), target].mean()
print(torch.allclose(loss, by_hand))
print(F.nll_loss(F.log_softmax(logits, dim=1), target))
loss.backward()
expected = (logits.softmax(1) - F.one_hot(target, num_classes=3)) / 2
print(logits.grad)
print(torch.allclose(logits.grad, expected))
print(F.cross_entropy(logits.detach(), target, reduction="none"))
print(F.cross_entropy(logits.detach(), target, weight=torch.tensor([1.0, 1.0, 0.1])))
