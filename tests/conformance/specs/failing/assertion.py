# An assert with a message that does not hold.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x ** 2).sum().backward()
print(x.grad)
assert torch.equal(x.grad, 3 * x), "the gradient should be 3x"
