# Gradients of another type than what they belong to.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
x.grad_dtype = torch.float16
(x * 3.0).sum().backward()
print(x.grad, x.grad_dtype)
y = torch.tensor([1.0, 2.0], requires_grad=True)
y.grad_dtype = None
print(y.grad_dtype)
try:
    y.grad_dtype = 3
except Exception as e:
    print(type(e).__name__, e)
z = y * 2
for f in (lambda: z.grad_dtype, lambda: setattr(z, 'grad_dtype', None)):
    try:
        print(f())
    except RuntimeError as e:
        print(e)
