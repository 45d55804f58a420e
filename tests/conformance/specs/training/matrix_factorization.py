# A low-rank factorization learned by Adam.
import torch

torch.manual_seed(21)
true = torch.randn(5, 2) @ torch.randn(2, 4)
known = torch.rand(5, 4) > 0.2
U = torch.randn(5, 2).mul(0.1).requires_grad_()
V = (torch.randn(2, 4) * 0.1).requires_grad_()
opt = torch.optim.Adam([U, V], lr=0.05)
for step in range(201):
    error = (U @ V - true)[known]
    loss = error.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print("%3d %.4f" % (step, loss))
print(known.sum().item(), "of", known.numel(), "entries known")
print((U @ V).shape, U.is_leaf, V.is_leaf)
