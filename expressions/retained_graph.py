# One graph walked twice, gradients that accumulate, and the gradient of a value in between.
import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * x
h.retain_grad()
y = h * 3

y.backward(retain_graph=True)
print(x.grad, h.grad)
y.backward()
print(x.grad, h.grad)
try:
    y.backward()
except RuntimeError as error:
    print(str(error).split(" (")[0])
x.grad.zero_()
print(x.grad)
