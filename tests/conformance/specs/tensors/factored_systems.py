# LU factors, reflectors and low-rank approximations, with their gradients.
import torch

A = torch.tensor([[2.0, 1.0, 0.5], [0.5, 3.0, -1.0], [4.0, 0.0, 2.5]], dtype=torch.float64, requires_grad=True)
B = torch.tensor([[1.0, -2.0], [0.5, 0.0], [3.0, 1.0]], dtype=torch.float64, requires_grad=True)
LU, pivots = torch.linalg.lu_factor(A)
print(LU, pivots)
print(torch.linalg.lu_factor_ex(A).info, LU.stride())
P, L, U = torch.linalg.lu(A)
print(P, L, U, L.grad_fn, torch.allclose(P @ L @ U, A))
print(torch.lu_unpack(LU, pivots).L.grad_fn)
for left, adjoint in ((True, False), (True, True), (False, False), (False, True)):
    X = torch.linalg.lu_solve(LU, pivots, B if left else B.mT, left=left, adjoint=adjoint)
    print(X)
    gA, gB = torch.autograd.grad((X * X).sum(), (A, B), retain_graph=True)
    print(gA.numpy().round(8) + 0.0, gB.numpy().round(8) + 0.0)
print(torch.lu_solve(B, LU, pivots).grad_fn, [type(x).__name__ for x in torch.lu(A)])
(g,) = torch.autograd.grad((L.sin() + U.cos()).sum(), A)
print(g.numpy().round(8) + 0.0)
try:
    torch.linalg.lu_factor(torch.zeros(2, 2))
except RuntimeError as e:
    print(e)
tau = torch.tensor([1.2, 0.7], dtype=torch.float64, requires_grad=True)
Q = torch.linalg.householder_product(A[:, :2], tau)
print(Q, torch.ormqr(A[:, :2], tau, B, transpose=True))
print(*(g.numpy().round(8) + 0.0 for g in torch.autograd.grad(Q.sin().sum(), (A, tau))))
torch.manual_seed(0)
low = torch.outer(torch.arange(5.0), torch.ones(4)) + torch.eye(5, 4)
print(torch.svd_lowrank(low, 2)[1], torch.pca_lowrank(low, 2)[1])
