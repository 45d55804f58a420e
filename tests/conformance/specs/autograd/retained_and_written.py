import torch


def leaf(*numbers):
    return torch.tensor([float(n) for n in numbers], requires_grad=True)


def retain_write():
    x = leaf(1.0, 2.0)
    a = x * 1
    a.retain_grad()
    a.mul_(3)
    a.retain_grad()
    a.mul_(2)
    a.sum().backward()
    print(a.grad, x.grad)


def retain_write1():
    x = leaf(1.0, 2.0)
    a = x * 1
    a.retain_grad()
    a.mul_(3)
    a.sum().backward()
    print(a.grad, x.grad, a.retains_grad)


def retain_view():
    x = leaf(1.0, 2.0)
    a = x * 1
    v = a[:1]
    v.retain_grad()
    a.mul_(3)
    a.sum().backward()
    print(v.grad, x.grad)


def retain_view2():
    x = leaf(1.0, 2.0)
    a = x * 1
    v = a[:1]
    v.retain_grad()
    v.mul_(3)
    (a * 2).sum().backward()
    print(v.grad, x.grad)


def retain_view3():
    x = leaf(1.0, 2.0)
    a = x * 1
    v = a[:1]
    a.retain_grad()
    v.mul_(3)
    (a * 2).sum().backward()
    print(a.grad, x.grad)


def retain_varmean():
    x = leaf(1.0, 2.0, 4.0)
    v, m = torch.var_mean(x)
    v.retain_grad()
    m.retain_grad()
    (v * 2 + m * 3).backward()
    print(v.grad, m.grad, x.grad)


def retain_detach_():
    x = leaf(1.0, 2.0)
    a = x * 1
    a.retain_grad()
    a.detach_()
    print(a.retains_grad, a.requires_grad, a.grad_fn)


for case in (retain_write, retain_write1, retain_view, retain_view2, retain_view3, retain_varmean, retain_detach_):
    print(case.__name__)
    try:
        case()
    except Exception as error:
        print(type(error).__name__, error)
