# @torch.no_grad() on functions, with and without arguments.
import torch


@torch.no_grad()
def predict(w, x, scale=1.0):
    return scale * (x @ w)


@torch.enable_grad()
def always_tracked(w):
    return w.sum()


w = torch.tensor([1.0, -1.0], requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(predict(w, x))
print(predict(w, x, scale=10).requires_grad)
print((x @ w).requires_grad)
with torch.no_grad():
    print(always_tracked(w).requires_grad)
print(torch.is_grad_enabled())
