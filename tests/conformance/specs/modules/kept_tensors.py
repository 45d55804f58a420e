# nn.Buffer, and the ways of attention.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Buffer(torch.tensor([1.0, 2.0]))
        self.spare = nn.Buffer(torch.zeros(3), persistent=False)
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.scale + self.weight


model = Scaled()
print(dict(model.named_buffers()), model.state_dict(), model.scale.persistent)
print(isinstance(model.scale, nn.Buffer), isinstance(model.weight, nn.Buffer), isinstance(torch.ones(1), nn.Buffer))
print(model(torch.ones(2)), nn.Buffer(), model.double().spare.dtype)
torch.manual_seed(0)
q = torch.randn(1, 2, 3, 4)
for ways in (SDPBackend.MATH, [SDPBackend.FLASH_ATTENTION], SDPBackend.CUDNN_ATTENTION, [], 3):
    try:
        with sdpa_kernel(ways):
            print(F.scaled_dot_product_attention(q, q, q).shape)
    except (RuntimeError, AssertionError) as e:
        print(ways, type(e).__name__, e)


@sdpa_kernel(SDPBackend.MATH)
def attend():
    return F.scaled_dot_product_attention(q, q, q)


print(attend().sum() != 0, SDPBackend(1), repr(SDPBackend.ERROR))
