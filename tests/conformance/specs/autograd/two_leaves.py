# Partial derivatives of a function of two numbers.
import torch

a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(-4.0, requires_grad=True)
q = 3 * a ** 3 - b ** 2 * a
q.backward()

print("q:", q.item())
print("dq/da:", a.grad.item(), "expected", 9 * 3.0 ** 2 - (-4.0) ** 2)
print("dq/db:", b.grad.item(), "expected", -2 * -4.0 * 3.0)
for name, leaf in [("a", a), ("b", b)]:
    print("%s: value %.2f gradient %+.2f" % (name, leaf.item(), leaf.grad.item()))
