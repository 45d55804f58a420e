# A model as a function of its parameters.
import torch
from torch.func import functional_call, grad, hessian, jacrev, jvp, vjp, vmap

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
params = dict(net.named_parameters())


def loss(p, x, y):
    return ((functional_call(net, p, x) - y) ** 2).mean()


x = torch.linspace(-1, 1, 5).unsqueeze(1)
y = x**2
g = grad(loss)(params, x, y)
print({k: v.shape for k, v in g.items()})
new = {k: p - 0.1 * g[k] for k, p in params.items()}
print(loss(params, x, y) > loss(new, x, y))
per = vmap(grad(loss), in_dims=(None, 0, 0))({k: v.detach() for k, v in params.items()}, x, y)
print({k: v.shape for k, v in per.items()}, torch.allclose(per["0.weight"].mean(0), g["0.weight"], atol=1e-6))
f = lambda t: (t**3).sum()
t = torch.tensor([1.0, 2.0, 3.0])
print(hessian(f)(t), jacrev(torch.sin)(t).diagonal(), jvp(f, (t,), (torch.ones(3),)), vjp(f, t)[1](torch.tensor(1.0)))
torch.func.grad(lambda t: t**2)(torch.tensor(3.0))
try:
    grad(lambda t: t * 2)(t)
except RuntimeError as e:
    print(e)
