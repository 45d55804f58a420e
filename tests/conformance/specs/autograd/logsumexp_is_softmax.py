# The gradient of logsumexp is softmax.
import torch

scores = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 1000.0]], requires_grad=True)
torch.logsumexp(scores, dim=1).sum().backward()
print(scores.grad)
print(torch.softmax(scores, dim=1))
print((scores.grad - scores.softmax(1)).abs().max().item() < 1e-6)
naive = torch.log(torch.exp(scores).sum(1))
print(naive)
