# sigmoid(x) squared, differentiated four times.
import torch

x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
y = torch.sigmoid(x) ** 2

derivative = y
for order in range(1, 5):
    (derivative,) = torch.autograd.grad(derivative, x, create_graph=True)
    print(order, f"{derivative.item():.12f}", type(derivative.grad_fn).__name__)
