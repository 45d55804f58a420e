# What a node keeps for its backward.
import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
product = a * b
power = a ** 3
root = torch.exp(a)
print(product.grad_fn._saved_self, product.grad_fn._saved_other)
print(power.grad_fn._saved_exponent, power.grad_fn._saved_self.tolist())
print(torch.equal(root.grad_fn._saved_result, root))
print((a * 2).grad_fn._saved_self)
product.sum().backward()
try:
    print(product.grad_fn._saved_self)
except RuntimeError as e:
    print(e)
