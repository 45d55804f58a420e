# A walker over next_functions, written by hand.
import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
w = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], requires_grad=True)

y = torch.mm(x, w)
z = y + 2.0
loss = z.mean()


def walk(fn, indent=0, seen=None):
    seen = set() if seen is None else seen
    pad = " " * indent
    if fn is None:
        print(pad + "None (no gradient goes here)")
        return
    name = type(fn).__name__
    if id(fn) in seen:
        print(pad + name + " (seen)")
        return
    seen.add(id(fn))
    print(pad + name)
    for next_fn, _ in fn.next_functions:
        walk(next_fn, indent + 2, seen)


walk(loss.grad_fn)
loss.backward()
print(x.grad)
print(w.grad)
