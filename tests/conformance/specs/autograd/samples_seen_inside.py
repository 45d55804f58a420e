import torch
from torch.func import functional_call, grad, vmap

weight = torch.arange(4.0).reshape(2, 2)
model = torch.nn.Linear(2, 1).requires_grad_(False)
torch.nn.init.ones_(model.weight)
torch.nn.init.zeros_(model.bias)
count = 0


def layer(x):
    global count
    count += 1
    print("given", x.shape, x)
    y = x * 2 - weight[1]
    print("made", y.shape, y)
    return y.relu() * count


def loss(parameters, x):
    print("loss of", x.shape)
    return functional_call(model, parameters, (x,)).sum() ** 2


rows = torch.arange(6.0).reshape(3, 2)
print(vmap(layer)(rows), count)
print(vmap(layer, chunk_size=2)(rows), count)
print(vmap(model)(rows))
print(vmap(grad(loss), (None, 0))(dict(model.named_parameters()), rows))
print(vmap(grad(lambda x: (print(x), x**3)[1]))(torch.arange(3.0)))
