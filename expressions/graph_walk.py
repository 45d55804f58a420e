"""A walker over next_functions, written by hand.

Every row is a node of the backward graph, below the operation whose input it made. h is used twice
and shown once. The walker remembers the nodes and not their ids: an id may be given again as soon
as its owner is gone.
"""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w = torch.tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True)

h = torch.tanh(torch.mm(x, w) + 2.0)
loss = (h * h + 0.5 * h).mean()

names = {id(x): "x", id(w): "w"}


def walk(fn, depth=0, max_depth=20, seen=None):
    seen = set() if seen is None else seen
    if fn is None:
        print("None (no gradient goes here)")
        return
    if fn in seen:
        print(type(fn).__name__, "(seen)")
        return
    seen.add(fn)
    leaf = f" of {names[id(fn.variable)]}" if hasattr(fn, "variable") else ""
    print(type(fn).__name__ + leaf)
    if depth == max_depth:
        return
    for i, (next_fn, _) in enumerate(fn.next_functions):
        print("  " * (depth + 1) + f"input[{i}] ->", end=" ")
        walk(next_fn, depth + 1, max_depth, seen)


walk(loss.grad_fn)
loss.backward()
print(x.grad)
print(w.grad)
