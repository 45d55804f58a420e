# Hv without H: the gradient of a dot product with the gradient.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([0.5, -1.0])
f = x[0] ** 3 + x[0] * x[1] ** 2
g = torch.autograd.grad(f, x, create_graph=True)[0]
hv = torch.autograd.grad((g * v).sum(), x)[0]
print("g  =", g)
print("Hv =", hv)
H = torch.tensor([[6.0, 4.0], [4.0, 2.0]])
print(torch.equal(hv, H @ v))
