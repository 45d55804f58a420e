# detach and data look at the same numbers; clone does not.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
view = x.detach()
copy = x.detach().clone()
view[0] = 100.0
print(x)
print(copy)
x.data[1] = -1
print(view, view.requires_grad)
print(view.data_ptr() == x.data_ptr(), copy.data_ptr() == x.data_ptr())
print(x.clone().grad_fn.name(), x.detach().grad_fn)
