# LSTM and GRU: shapes and states.
import torch
from torch import nn

torch.manual_seed(2)
lstm = nn.LSTM(3, 4, num_layers=2)
x = torch.randn(5, 2, 3)
out, (h, c) = lstm(x)
print(lstm)
print(out.shape, h.shape, c.shape)
print(torch.equal(out[-1], h[-1]))
cell = nn.LSTMCell(3, 4)
hx = cx = torch.zeros(2, 4)
for step in x:
    hx, cx = cell(step, (hx, cx))
print(hx.shape)
print(hx)
gru = nn.GRU(3, 2, bidirectional=True)
y, hn = gru(x)
print(y.shape, hn.shape)
print(sorted({n.split("_")[0] for n, _ in gru.named_parameters()}))
