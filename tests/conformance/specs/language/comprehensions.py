# Comprehensions of every kind, nested and filtered.
import torch

squares = [x * x for x in range(8) if x % 2]
print(squares)
print({n: len(n) for n in ("relu", "tanh", "gelu")})
print(sorted({x % 3 for x in range(10)}))
print([(i, j) for i in range(3) for j in range(i)])
print([[i * j for j in range(1, 4)] for i in range(1, 4)])
matrix = [[1, 2, 3], [4, 5, 6]]
print([list(col) for col in zip(*matrix)], [v for row in matrix for v in row])
print(sum(x ** 2 for x in range(5)), max(len(w) for w in ["a", "bbb", "cc"]))
tensors = [torch.full((n,), float(n)) for n in range(1, 4)]
print(tensors, [t.sum().item() for t in tensors])
x = "outer"
print([x for x in range(3)], x)
print({k: v for k, v in zip("abc", [1, 2, 3]) if v != 2})
print(["even" if n % 2 == 0 else "odd" for n in range(4)])
print(any(n > 3 for n in range(4)), all(isinstance(t, torch.Tensor) for t in tensors))
