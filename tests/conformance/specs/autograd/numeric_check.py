# Central differences beside autograd.
import torch

torch.set_default_dtype(torch.float64)


def f(x):
    return torch.sin(x[0] * x[1]) + torch.log(x[2]) * x[0] ** 2


x = torch.tensor([0.7, 1.3, 2.1], requires_grad=True)
f(x).backward()
eps = 1e-6
worst = 0.0
for i in range(x.numel()):
    up, down = x.detach().clone(), x.detach().clone()
    up[i] += eps
    down[i] -= eps
    numeric = (f(up) - f(down)).item() / (2 * eps)
    exact = x.grad[i].item()
    worst = max(worst, abs(numeric - exact))
    print(f"x[{i}]  autograd {exact:+.8f}  numeric {numeric:+.6f}")
print("close enough" if worst < 1e-8 else "too far: %g" % worst)
