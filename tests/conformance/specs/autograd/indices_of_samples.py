import torch
from torch.func import vmap

x, i = torch.arange(6.0).view(3, 2), torch.tensor([0, 1, 1])
table = torch.arange(12.0).view(2, 2, 3)
print(vmap(lambda x, i: x[i])(x, i), vmap(lambda x, i: -torch.log_softmax(x, 0)[i])(x, i))
for read in (
    lambda i: table[i], lambda i: table[:, i], lambda i: table[..., i], lambda i: table[i, i], lambda i: table[i, None],
    lambda i: table[i, :, i], lambda i: table[1:, i], lambda i: table[i, torch.tensor([0, 1])],
):
    print(vmap(read)(i))


def set_one(x, i):
    y = x.clone()
    y[i] = x[1 - i] + 10
    return y


print(vmap(set_one)(x, i), vmap(vmap(lambda x, i: x[i], (None, 0)), (0, None))(x, i[:2]))
w = torch.ones(3, 2, requires_grad=True)
vmap(lambda w, i: w[i] * (i + 1))(w, i).sum().backward()
print(w.grad)
