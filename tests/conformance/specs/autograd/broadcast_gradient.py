# The gradient of a broadcast operand is summed back to its shape.
import torch

m = torch.ones(3, 2, requires_grad=True)
row = torch.tensor([1.0, 2.0], requires_grad=True)
col = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
s = torch.tensor(0.5, requires_grad=True)
out = (m * row + col * s).sum()
out.backward()
for t in (m, row, col, s):
    print(t.shape, t.grad.shape, t.grad.tolist())
