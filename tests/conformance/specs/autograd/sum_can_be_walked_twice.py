# A graph that saved nothing can be walked again.
import torch

x = torch.arange(3.0, requires_grad=True)
s = (x + x).sum()
s.backward()
s.backward()
print(x.grad)

y = (x * x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(str(e).split(".")[0])
