import torch


def leaf(*numbers):
    return torch.tensor([float(n) for n in numbers], requires_grad=True)


def edge_grad():
    x = leaf(1.0, 2.0)
    b = x * 2
    c = (b * b).sum()
    e = torch.autograd.graph.get_gradient_edge(b)
    print(torch.autograd.grad(c, e))


def edge_root():
    x = leaf(1.0, 2.0)
    b = x * 2
    e = torch.autograd.graph.get_gradient_edge(b)
    torch.autograd.backward(e, torch.ones(2))
    print(x.grad)


def edge_root2():
    x = leaf(1.0, 2.0)
    b = x * 2
    e = torch.autograd.graph.get_gradient_edge(b)
    print(torch.autograd.grad(e, x, grad_outputs=torch.ones(2)))


def edge_root3():
    x = leaf(1.0, 2.0)
    b = (x * 2).sum()
    e = torch.autograd.graph.get_gradient_edge(b)
    print(torch.autograd.grad(e, x))


def edge_inputs():
    x = leaf(1.0, 2.0)
    b = x * 2
    e = torch.autograd.graph.get_gradient_edge(x)
    (b * 3).sum().backward(inputs=[e])
    print(x.grad)


def materialize():
    x = leaf(1.0, 2.0)
    z = leaf(3.0)
    print(torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True))
    print(torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True, create_graph=True)[1].requires_grad)
    torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True, allow_unused=False)


def inf_mode():
    with torch.inference_mode(mode=False):
        print(torch.is_inference_mode_enabled())
    with torch.inference_mode(mode=True):
        print(torch.is_inference_mode_enabled())


def numpy_nograd():
    x = leaf(1.0, 2.0)
    with torch.no_grad():
        print(x.numpy())


for case in (edge_grad, edge_root, edge_root2, edge_root3, edge_inputs, materialize, inf_mode, numpy_nograd):
    print(case.__name__)
    try:
        case()
    except Exception as error:
        print(type(error).__name__, error)
