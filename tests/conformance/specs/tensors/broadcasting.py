# Shapes that fit together, and some that do not.
import torch

a = torch.tensor([[1.0], [2.0], [3.0]])
b = torch.tensor([10.0, 20.0])
print(a + b)
print((a * b).shape, (a - 1).shape)
print(torch.broadcast_shapes((3, 1), (1, 4)), a.expand(3, 2))
x = torch.ones(2, 3)
print(x + torch.arange(3), (x + torch.arange(2)[:, None])[1])
for s1, s2 in [((2, 3), (3,)), ((2, 3), (2,)), ((4, 1, 3), (2, 1)), ((0,), (1,))]:
    try:
        print(s1, s2, "->", tuple((torch.zeros(s1) + torch.zeros(s2)).shape))
    except RuntimeError as e:
        print(s1, s2, "->", e)
