# A hook sees, and may change, the gradient on its way.
import torch

seen = []
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
h = x * 2
handle = h.register_hook(lambda g: seen.append(g.clone()))
scale = x.register_hook(lambda g: g * 10)
(h ** 2).sum().backward()
print("seen:", seen)
print("x.grad:", x.grad)

handle.remove()
scale.remove()
x.grad = None
(x * 2).pow(2).sum().backward()
print("without hooks:", x.grad, len(seen))
