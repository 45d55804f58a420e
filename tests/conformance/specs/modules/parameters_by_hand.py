# nn.Parameter, plain tensors and buffers as attributes.
import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor([1.0, 2.0]))
        self.offset = torch.zeros(2)
        self.register_buffer("calls", torch.tensor(0))
        self.register_parameter("unused", None)

    def forward(self, x):
        self.calls += 1
        return x * self.gain + self.offset


m = Affine()
m(torch.ones(2))
m(torch.ones(2))
print([n for n, _ in m.named_parameters()])
print([n for n, _ in m.named_buffers()])
print(m.state_dict())
print(m.gain)
print(isinstance(m.gain, nn.Parameter), isinstance(m.gain, torch.Tensor), m.unused)
try:
    m.gain = torch.ones(2)
except TypeError as e:
    print(e)
m.gain = nn.Parameter(torch.zeros(2))
print(m(torch.ones(2)))
