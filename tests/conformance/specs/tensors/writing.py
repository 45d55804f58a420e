# Writing by index, slice, list and mask.
import torch

t = torch.zeros(3, 4)
t[0, 1] = 5
t[1] = torch.tensor([1.0, 2.0, 3.0, 4.0])
t[:, -1] = -1
print(t)
t[t < 0] = 0.5
t[[0, 2], [0, 0]] = 9
t[2, 1:3] += 7
t[0] *= 2
print(t)
mask = t > 4
t[mask] = t[mask] / 10
print(t)
u = t
u[0, 0] = 100
v = t.clone()
v[0, 0] = -100
print(t[0, 0].item(), u is t, v is t)
try:
    t[5] = 0
except IndexError as e:
    print(e)
try:
    t[0] = torch.ones(3)
except RuntimeError as e:
    print(e)
