# Solving, inverting, decomposing.
import torch

A = torch.tensor([[4.0, 1.0], [1.0, 3.0]], dtype=torch.float64)
b = torch.tensor([1.0, 2.0], dtype=torch.float64)
x = torch.linalg.solve(A, b)
print(x, torch.allclose(A @ x, b))
print((torch.linalg.inv(A) @ A).round().abs())
print(torch.det(A), torch.trace(A), torch.linalg.matrix_rank(A))
L = torch.linalg.cholesky(A)
print(L, torch.allclose(L @ L.T, A))
values, vectors = torch.linalg.eigh(A)
print(values)
print(torch.allclose(vectors @ torch.diag(values) @ vectors.T, A))
Q, R = torch.linalg.qr(A)
print((Q.T @ Q).round().abs(), torch.allclose(Q @ R, A))
U, S, Vh = torch.linalg.svd(A)
print(S, torch.allclose(U @ torch.diag(S) @ Vh, A))
print(torch.triu(A), torch.tril(A, -1), torch.diag(A), torch.matrix_power(A, 2))
try:
    torch.linalg.inv(torch.zeros(2, 2))
except RuntimeError as e:
    print(e)
