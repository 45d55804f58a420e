# set_grad_enabled as a block and as a call.
import torch

x = torch.ones(1, requires_grad=True)
for is_train in (True, False):
    with torch.set_grad_enabled(is_train):
        y = x * 2
    print(is_train, y.requires_grad)

torch.set_grad_enabled(False)
print((x * 2).requires_grad)
torch.set_grad_enabled(True)
print((x * 2).requires_grad)

with torch.inference_mode():
    z = x * 5
print(z.requires_grad, z.is_inference())
