# The errors of autograd that everyone meets.
import torch


def attempt(title, f):
    try:
        f()
    except RuntimeError as e:
        print(f"{title}:\n    {e}")
    else:
        print(f"{title}: no error")


def non_scalar():
    torch.ones(3, requires_grad=True).mul(2).backward()


def twice():
    x = torch.ones(3, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    y.backward()


def leaf():
    x = torch.ones(3, requires_grad=True)
    x.mul_(2)


def constant():
    torch.ones(3).sum().backward()


def view_of_leaf():
    x = torch.ones(3, requires_grad=True)
    x[0].mul_(2)


def overwritten():
    x = torch.ones(3, requires_grad=True)
    y = x.sigmoid()
    y.zero_()
    y.sum().backward()


def numpy_first():
    x = torch.ones(3, requires_grad=True)
    x.numpy()


for f in (non_scalar, twice, leaf, constant, view_of_leaf, overwritten, numpy_first):
    attempt(f.__name__, f)
