import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

calls = []


def block(x, w):
    calls.append(tuple(x.shape))
    return torch.tanh(x @ w) * x.sum()


torch.manual_seed(0)
x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
w = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)

# What the block keeps is computed again when backward asks for it.
y = checkpoint(block, x, w, use_reentrant=False)
print("forward", calls)
y.sum().backward()
print("backward", calls)
by_checkpoint = x.grad.clone(), w.grad.clone()

x.grad = w.grad = None
block(x, w).sum().backward()
print("equal", torch.equal(by_checkpoint[0], x.grad), torch.equal(by_checkpoint[1], w.grad))

# Dropout draws the same numbers again.
drop = nn.Dropout(0.5)
z = torch.ones(2, 4, requires_grad=True)
out = checkpoint(lambda t: drop(t) * t, z, use_reentrant=False)
out.sum().backward()
print("dropout", torch.equal(z.grad, 2 * out.detach()))

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2), nn.Sigmoid()).double()
x.grad = None
checkpoint_sequential(net, 2, x, use_reentrant=False).sum().backward()
first = x.grad.clone()
x.grad = None
net(x).sum().backward()
print("sequential", torch.allclose(first, x.grad))

# Without a gradient to compute it is a call.
with torch.no_grad():
    print(checkpoint(block, x, w, use_reentrant=False).grad_fn)
