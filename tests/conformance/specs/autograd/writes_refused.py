import torch


def leaf(*numbers):
    return torch.tensor([float(n) for n in numbers], requires_grad=True)


def view_leaf_later():
    a = torch.zeros(2)
    b = a[:]
    a.requires_grad = True
    b.add_(5)


def view_nograd():
    x = leaf(1.0, 2.0)
    a = x * 1
    with torch.no_grad():
        b = a[:1]
    b.mul_(2)


def view_view_nograd():
    x = leaf(1.0, 2.0)
    a = x * 1
    with torch.no_grad():
        b = a[:2]
    c = b[:1]
    c.mul_(2)


def unbind_view():
    x = leaf(1.0, 2.0)
    a = (x * 1).reshape(1, 2).clone()
    (b,) = a.unbind(0)
    c = b[:1]
    c.mul_(2)


def grad_self():
    x = leaf(1.0, 2.0)
    x.grad = x


def grad_shape():
    x = leaf(1.0, 2.0)
    x.grad = torch.ones(3)


def grad_dtype():
    x = leaf(1.0, 2.0)
    x.grad = torch.ones(2, dtype=torch.float64)


def grad_notensor():
    x = leaf(1.0, 2.0)
    x.grad = 3


def data_int():
    x = leaf(1.0, 2.0)
    x.data = torch.tensor([1, 2])


def data_other_float():
    x = leaf(1.0, 2.0)
    x.data = torch.ones(3, dtype=torch.float64)
    print(x)


def inference_transpose():
    with torch.inference_mode():
        a = torch.ones(2, 3)
    a.transpose_(0, 1)
    print(a.shape)


def inference_add():
    with torch.inference_mode():
        a = torch.ones(2, 3)
    a.add_(1)


def print_nograd_view():
    x = leaf(1.0, 2.0)
    a = x * 1
    b = a[:1]
    with torch.no_grad():
        b.mul_(2)
    print(b, a)


for case in (
    view_leaf_later,
    view_nograd,
    view_view_nograd,
    unbind_view,
    grad_self,
    grad_shape,
    grad_dtype,
    grad_notensor,
    data_int,
    data_other_float,
    inference_transpose,
    inference_add,
    print_nograd_view,
):
    print(case.__name__)
    try:
        case()
    except Exception as error:
        print(type(error).__name__, error)
