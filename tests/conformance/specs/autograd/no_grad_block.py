# What is computed under no_grad leaves no trace.
import torch

x = torch.tensor([2.0], requires_grad=True)
print(torch.is_grad_enabled())
with torch.no_grad():
    y = x * 3
    print(torch.is_grad_enabled(), y.requires_grad, y)
    with torch.enable_grad():
        z = x * 3
        print(torch.is_grad_enabled(), z.requires_grad)
print(torch.is_grad_enabled())
print(y.grad_fn is None, z.grad_fn is not None)
print(x.requires_grad)
