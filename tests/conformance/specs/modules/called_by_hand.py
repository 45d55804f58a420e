import torch
import torch.nn as nn


class M(nn.Module):

    def __init__(s):
        super().__init__()
        s.l = nn.Linear(2, 2)

    def forward(s, x):
        return s.l(x)

    def __call__(s, *a, **k):
        print('called')
        return super().__call__(*a, **k)
torch.manual_seed(0)
m = M()
print(m(torch.ones(1, 2)))
print(m.__call__(torch.ones(1, 2)))
print(nn.Module.__call__(m.l, torch.ones(1, 2)))
print(m.l.__call__(torch.ones(1, 2)))
