# An if on a tensor chooses the graph.
import torch


def piecewise(x):
    if x.sum() > 0:
        return (x ** 2).sum()
    elif x.sum() < -5:
        return -x.sum() * 10
    else:
        return (x * 0.5).sum()


for values in ([1.0, 2.0], [-1.0, -1.0], [-4.0, -4.0]):
    t = torch.tensor(values, requires_grad=True)
    y = piecewise(t)
    y.backward()
    print("%8.2f  %s  %s" % (y.item(), y.grad_fn.name(), t.grad.tolist()))
