# A hand-made ReLU that keeps a mask, used inside a module.
import torch
from torch import nn


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        mask, = ctx.saved_tensors
        return g * mask


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        return self.b(MyReLU.apply(self.a(x)))


torch.manual_seed(1)
net = Net()
x = torch.randn(5, 3)
mine = net(x)
theirs = net.b(torch.relu(net.a(x)))
print(torch.equal(mine, theirs))
mine.sum().backward()
got = [p.grad.clone() for p in net.parameters()]
net.zero_grad()
theirs.sum().backward()
print(all(torch.equal(g, p.grad) for g, p in zip(got, net.parameters())))
print(mine.grad_fn.name(), [type(f).__name__ for f, _ in mine.grad_fn.next_functions])
