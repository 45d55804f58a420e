# Gradients against differences, compared as tests do.
import torch


def numeric(f, x, eps=1e-6):
    g = torch.zeros_like(x)
    for i in range(x.numel()):
        d = torch.zeros_like(x)
        d.view(-1)[i] = eps
        g.view(-1)[i] = (f(x + d) - f(x - d)) / (2 * eps)
    return g


torch.set_default_dtype(torch.float64)
x = torch.tensor([[0.3, -1.2], [2.0, 0.7]], requires_grad=True)
f = lambda t: (torch.tanh(t) * t.exp()).sum()
f(x).backward()
print(torch.allclose(x.grad, numeric(f, x.detach()), atol=1e-6), (x.grad - numeric(f, x.detach())).abs().max() < 1e-6)
torch.testing.assert_close(x.grad, numeric(f, x.detach()), atol=1e-6, rtol=1e-5)
try:
    torch.testing.assert_close(x.grad, x.grad + 1)
except AssertionError as e:
    print(str(e).split("\n")[0])
z = torch.tensor([1 + 1j, 2 - 1j])
torch.testing.assert_close(z, z * (1 + 1e-9))
for a, b in ((z, z + 1e-3j), (1 + 1j, 1 + 1.1j), (torch.tensor(1j), torch.tensor(1.1j))):
    try:
        torch.testing.assert_close(a, b)
    except AssertionError as e:
        print(e)
p = torch.nn.Parameter(x.detach())
torch.testing.assert_close(p, x.detach())
arrays = x.detach().numpy(), x.detach().numpy().copy()
torch.testing.assert_close(*arrays)
for a, b, subclasses in ((p, x.detach(), False), (arrays[0], x.detach(), True), ([arrays[0]], [x.detach()], True)):
    try:
        torch.testing.assert_close(a, b, allow_subclasses=subclasses)
    except TypeError as e:
        print(type(e).__name__, "failure occurred" in str(e))
