# A graph walked by hand, and what its nodes have saved.
import torch

x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
y = torch.sigmoid(w * x + b)
loss = (y - 1).pow(2)


def walk(fn, d=0):
    if fn is None:
        return
    print(" " * d, fn.name(), type(fn).__name__)
    for n, i in fn.next_functions:
        walk(n, d + 2)


walk(loss.grad_fn)
print(loss.grad_fn.next_functions[0][0].next_functions, loss.grad_fn._saved_self, y.grad_fn._saved_result)
print("Gradient function for y =", y.grad_fn)
loss.backward()
print(x.grad, w.grad, b.grad, x.is_leaf, y.is_leaf, y.requires_grad, y.grad_fn.metadata)
try:
    loss.backward()
except RuntimeError as e:
    print(e)
print(torch.autograd.grad(torch.exp(x), x), [a for a in dir(y.grad_fn) if a.startswith("_saved")])
