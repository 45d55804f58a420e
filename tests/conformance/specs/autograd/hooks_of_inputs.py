import torch


def leaf(*numbers):
    return torch.tensor([float(n) for n in numbers], requires_grad=True)


def grad_inputs_hooks():
    x = leaf(1.0, 2.0)
    n = (x * 1).grad_fn.next_functions[0][0]
    n.register_hook(lambda *a: print("acc post", a))
    n.register_prehook(lambda *a: print("acc pre", a))
    x.register_hook(lambda g: print("tensor", g))
    x.register_post_accumulate_grad_hook(lambda p: print("pag", p.grad))
    print(torch.autograd.grad((x * 2).sum(), x))


def grad_nonleaf_hooks():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.register_hook(lambda g: print("tensor", g))
    b.grad_fn.register_hook(lambda *a: print("post", a))
    b.grad_fn.register_prehook(lambda *a: print("pre", a))
    print(torch.autograd.grad((b * 2).sum(), b))


def backward_inputs():
    x = leaf(1.0, 2.0)
    b = x * 2
    b.register_hook(lambda g: print("tensor", g))
    b.grad_fn.register_hook(lambda *a: print("post", a))
    b.grad_fn.register_prehook(lambda *a: print("pre", a))
    (b * 2).sum().backward(inputs=(b,))
    print(b.grad, x.grad)


def transposed_leaf():
    x = torch.ones(2, 3).t().requires_grad_()
    (x * torch.arange(6.0).reshape(3, 2)).sum().backward()
    print(x.grad.stride())


def expanded_leaf_grad():
    x = torch.ones(2, 3, requires_grad=True)
    x.sum().backward()
    print(x.grad.stride())


for case in (grad_inputs_hooks, grad_nonleaf_hooks, backward_inputs, transposed_leaf, expanded_leaf_grad):
    print(case.__name__)
    case()
