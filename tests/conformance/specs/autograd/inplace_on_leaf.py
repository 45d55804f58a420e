# A leaf that wants a gradient may not be changed in place.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    w += 1
except RuntimeError as e:
    print("RuntimeError:", e)
try:
    w[0] = 5.0
except RuntimeError as e:
    print("RuntimeError:", e)
with torch.no_grad():
    w += 1
    w[1] = 0.0
print(w)
w.data.mul_(3)
print(w)
