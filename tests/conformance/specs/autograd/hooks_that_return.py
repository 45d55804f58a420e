import torch


def leaf(*numbers):
    return torch.tensor([float(n) for n in numbers], requires_grad=True)


def sibling_hook():
    x = leaf(1.0, 2.0, 3.0)
    a, b, c = x.unbind()
    a.register_hook(lambda g: print("a", g))
    b.register_hook(lambda g: print("b", g))
    (a * 2).backward()
    print(x.grad)


def sibling_split():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    a, b = x.split(2)
    b.register_hook(lambda g: print("b", g))
    (a * 2).sum().backward()
    print(x.grad)


def backward_inputs2():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.grad_fn.register_hook(lambda *a: print("post", a))
    (b * 2).sum().backward(inputs=(b, x))
    print(b.grad, x.grad)


def post_acc_return():
    x = leaf(1.0, 2.0)
    x.register_post_accumulate_grad_hook(lambda p: p.grad * 2)
    (x * 2).sum().backward()
    print(x.grad)


def post_acc_nonleaf():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.register_post_accumulate_grad_hook(lambda p: None)


def tensor_hook_notensor():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.register_hook(lambda g: 3)
    b.sum().backward()


def tensor_hook_shape():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.register_hook(lambda g: torch.ones(3))
    b.sum().backward()


def tensor_hook_dtype():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.register_hook(lambda g: g.double())
    b.sum().backward()
    print(x.grad)


def prehook_len():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.grad_fn.register_prehook(lambda gs: (gs[0], gs[0]))
    b.sum().backward()


def posthook_len():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.grad_fn.register_hook(lambda gi, go: (gi[0],))
    b.sum().backward()
    print(x.grad)


def hook_no_grad():
    torch.ones(2).register_hook(lambda g: g)


for case in (
    sibling_hook,
    sibling_split,
    backward_inputs2,
    post_acc_return,
    post_acc_nonleaf,
    tensor_hook_notensor,
    tensor_hook_shape,
    tensor_hook_dtype,
    prehook_len,
    posthook_len,
    hook_no_grad,
):
    print(case.__name__)
    try:
        case()
    except Exception as error:
        print(type(error).__name__, error)
