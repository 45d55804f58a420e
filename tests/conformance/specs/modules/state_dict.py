# Saving the state of one net and loading it into another.
import torch
import torch.nn as nn


def make(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))


a, b = make(1), make(2)
x = torch.tensor([[0.5, -1.0]])
print(torch.equal(a(x), b(x)))
state = a.state_dict()
for key in state:
    print(key, state[key].shape)
print(b.load_state_dict(state))
print(torch.equal(a(x), b(x)))
print(state["2.bias"].requires_grad, a[2].bias.requires_grad)
print(state["0.weight"])
