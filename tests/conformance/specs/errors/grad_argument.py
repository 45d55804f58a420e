# grad and backward with wrong arguments.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
cases = [
    lambda: torch.autograd.grad(x * 2, x),
    lambda: torch.autograd.grad((x * 2).sum(), torch.ones(2)),
    lambda: torch.autograd.grad((x * 2).sum(), x, grad_outputs=torch.ones(3)),
    lambda: (x * 2).backward(torch.ones(2, 2)),
    lambda: (x * 2).sum().backward(torch.tensor(3.0)),
]
for i, case in enumerate(cases):
    try:
        print(i, "returned", case())
    except RuntimeError as e:
        print(i, e)
print(x.grad)
try:
    x.grad = torch.ones(3)
except RuntimeError as e:
    print(e)
try:
    x.grad = 1.0
except TypeError as e:
    print(e)
