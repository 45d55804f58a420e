# A hook that runs when a leaf has its gradient.
import torch

log = []
w = torch.tensor([1.0, 2.0], requires_grad=True)


def update(param):
    log.append(param.grad.tolist())
    with torch.no_grad():
        param -= 0.1 * param.grad
    param.grad = None


handle = w.register_post_accumulate_grad_hook(update)
for _ in range(3):
    (w ** 2).sum().backward()
print(w)
print(log)
print(w.grad is None)
handle.remove()
