"""Two ways to stop a gradient: detach() for one value, no_grad() for a stretch of code.

h = x^2 enters the loss twice, once recorded and once as a plain number. So x.grad is half of the
derivative of x^4, as it is meant to be: the second factor shall count as a constant.
"""
# gradcli: allow hidden-path

import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)

h = x * x
constant = h.detach()
with torch.no_grad():
    silent = x * x
    print("inside, recording is on:", torch.is_grad_enabled())
loud = x * x
for name, value in (("h", h), ("constant", constant), ("silent", silent), ("loud", loud)):
    print(f"{name:<8} {value.tolist()}  requires_grad {value.requires_grad}")

(whole,) = torch.autograd.grad((h * h).sum(), x, retain_graph=True)
loss = (h * constant).sum()
loss.backward()
print("h * h:       ", whole)
print("h * constant:", x.grad)
