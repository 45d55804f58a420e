# Newton's method with a derivative from autograd.
import torch


def newton(f, start, steps=20, tol=1e-6):
    x = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    for n in range(steps):
        y = f(x)
        if abs(y.item()) < tol:
            break
        slope, = torch.autograd.grad(y, x)
        with torch.no_grad():
            x -= y / slope
    else:
        print("did not converge")
    return x.item(), n


root, steps = newton(lambda x: x ** 3 - 2 * x - 5, 2.0)
print(f"root {root:.10f} after {steps} steps")
root, steps = newton(torch.cos, 1.0)
print(f"pi/2 {root:.10f} after {steps} steps")
print(newton(lambda x: x ** 2 + 1, 0.5, steps=3)[1])
