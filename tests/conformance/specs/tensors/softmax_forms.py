# softmax, its temperature, and ways to write it.
import torch
import torch.nn.functional as F


def softmax(z, dim=-1, temperature=1.0):
    z = z / temperature
    e = torch.exp(z - z.max(dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


z = torch.tensor([[1.0, 2.0, 3.0], [1000.0, 1000.0, 999.0]])
print(softmax(z))
print(torch.allclose(softmax(z), F.softmax(z, dim=1)), torch.allclose(softmax(z), torch.softmax(z, 1).exp().log()))
for T in (0.1, 1, 10):
    print(T, [f"{p:.3f}" for p in softmax(z[0], temperature=T).tolist()])
print(F.log_softmax(z, dim=1))
entropy = -(F.softmax(z, 1) * F.log_softmax(z, 1)).sum(1)
print(entropy)
