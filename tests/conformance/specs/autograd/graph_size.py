# How many nodes a computation leaves behind.
import torch


def count_nodes(root):
    seen, stack = set(), [root]
    tally = {}
    while stack:
        fn = stack.pop()
        if fn is None or fn in seen:
            continue
        seen.add(fn)
        name = type(fn).__name__
        tally[name] = tally.get(name, 0) + 1
        for child, _ in fn.next_functions:
            stack.append(child)
    return tally


x = torch.ones(3, requires_grad=True)
w = torch.ones(3, requires_grad=True)
h = x
for _ in range(4):
    h = torch.tanh(h * w + x)
tally = count_nodes(h.sum().grad_fn)
for name, n in sorted(tally.items(), key=lambda item: (-item[1], item[0])):
    print(f"{name:<16} x{n}")
print("total:", sum(tally.values()))
