# The many products of vectors and matrices.
import torch

u, v = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, 0.5, 2.0])
A = torch.arange(6.0).view(2, 3)
B = torch.arange(12.0).view(3, 4)
print(u @ v, torch.dot(u, v), u * v, torch.outer(u, v)[1])
print(A @ B)
print(torch.equal(A @ B, torch.mm(A, B)), torch.equal(A @ u, torch.mv(A, u)), A.matmul(u))
batch = torch.ones(5, 2, 3)
print(torch.bmm(batch, B.expand(5, 3, 4)).shape, (batch @ B).shape, (batch @ u).shape)
print(torch.linalg.cross(u, v), torch.linalg.norm(A))
print(torch.einsum("ij,jk->ik", A, B)[0], torch.einsum("ii->", A[:, :2]), torch.einsum("bij,j->b", batch, u)[0])
print(torch.einsum("i,j->ij", u, v).shape, torch.tensordot(A, B, dims=1).shape, torch.kron(torch.eye(2), u[None]))
try:
    A @ A
except RuntimeError as e:
    print(e)
try:
    torch.dot(u, torch.ones(2))
except RuntimeError as e:
    print(e)
