import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x ** 2
grads = []
h1 = y.register_hook(lambda g: grads.append(g.clone()))
h2 = x.register_hook(lambda g: g * 10)
h3 = y.register_hook(lambda g: g + 1)
y.sum().backward()
print(grads, x.grad)
h2.remove(); h3.remove()
x.grad = None
(x ** 2).sum().backward()
print(x.grad)
def hook(grad):
    print("grad of z:", grad)
z = (x * 3).sum()
z.register_hook(hook)
z.backward()
try:
    torch.ones(2).register_hook(hook)
except RuntimeError as e:
    print(e)
x.register_post_accumulate_grad_hook(lambda t: print("acc", t.grad))
(x * 2).sum().backward()
node = (x * 2).grad_fn
node.register_hook(lambda gi, go: print("node", gi, go))
w = x * 2
w.grad_fn.register_prehook(lambda g: (g[0] * 0,))
w.sum().backward()
