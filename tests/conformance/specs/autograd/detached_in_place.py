# detach_() takes a tensor out of its graph; what the backward kept of it is gone for good.
import torch

x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)


def told(name, use):
    x.grad = None
    w = x * 2
    z = use(w)
    w.detach_()
    print(name, w.requires_grad, w.grad_fn)
    try:
        z.sum().backward()
        print(x.grad)
    except RuntimeError as e:
        print(e)


told("sum needs nothing", lambda w: w + 1)
told("sin keeps its argument", lambda w: w.sin())
told("product with a leaf", lambda w: w * x)
told("its own square", lambda w: w * w)
told("matrix product", lambda w: w.view(1, 3) @ w.view(3, 1))

# What is kept after the write is a constant.
w = (x * 2).detach_()
z = w * x
z.sum().backward()
print(x.grad)

# A result that is kept is none of its tensor's business.
x.grad = None
y = x.exp()
z = y * 2
y.detach_()
z.sum().backward()
print(x.grad)

# Nor is a leaf.
x.grad = None
z = x.sin().sum()
x.detach_()
z.backward()
print(x.grad, x.requires_grad)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        return 2 * g * t


x.requires_grad_()
told("a function of one's own", Square.apply)
