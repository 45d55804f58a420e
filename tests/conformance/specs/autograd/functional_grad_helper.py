# A small `grad` made of closures, nested for higher orders.
import torch


def grad(f):
    def df(x):
        with torch.enable_grad():
            if not x.requires_grad:
                x = x.detach().requires_grad_()
            y = f(x)
            return torch.autograd.grad(y, x, create_graph=True)[0]
    return df


f = lambda x: torch.sin(x) * x
x = torch.tensor(1.0, dtype=torch.float64)
orders = [f]
for _ in range(3):
    orders.append(grad(orders[-1]))
for n, g in enumerate(orders):
    print(n, f"{g(x).item():.6f}")
