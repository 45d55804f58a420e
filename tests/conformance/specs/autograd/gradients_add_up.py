# Calling backward again adds to .grad; it is not replaced.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    loss = (w * w).sum()
    loss.backward()
    print("after backward number", i + 1, "->", w.grad)

w.grad.zero_()
print("zeroed:", w.grad)
(w * w).sum().backward()
print("once more:", w.grad)
w.grad = None
print("forgotten:", w.grad)
