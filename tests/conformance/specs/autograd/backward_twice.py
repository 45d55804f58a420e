# The graph is gone after backward, unless it is kept.
import torch

x = torch.ones(2, 2, requires_grad=True)
y = (x.exp() * x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print("second call failed:")
    print(e)

x.grad = None
y = (x.exp() * x).sum()
y.backward(retain_graph=True)
first = x.grad.clone()
y.backward()
print(torch.equal(x.grad, 2 * first))
print(x.grad)
