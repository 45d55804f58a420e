# A loss that contains the length of a gradient.
import torch

torch.manual_seed(5)
x = torch.tensor([[0.2, -0.4], [1.0, 0.3]], requires_grad=True)
w = torch.tensor([[0.5, -0.3, 0.8], [0.1, 0.9, -0.7]], requires_grad=True)
v = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)

score = torch.tanh(x @ w) @ v
(g,) = torch.autograd.grad(score.sum(), x, create_graph=True)
penalty = ((g.norm(dim=1) - 1) ** 2).mean()
print("gradient:", g)
print("penalty: %.6f" % penalty)
penalty.backward()
print(w.grad)
print(v.grad)
