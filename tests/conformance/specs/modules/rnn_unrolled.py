# A recurrent cell, unrolled by hand and checked against nn.RNN.
import torch
import torch.nn as nn

torch.manual_seed(1)
rnn = nn.RNN(input_size=2, hidden_size=3, batch_first=True)
x = torch.randn(1, 4, 2)
out, h_n = rnn(x)

h = torch.zeros(1, 3)
for t in range(x.shape[1]):
    h = torch.tanh(x[:, t] @ rnn.weight_ih_l0.T + rnn.bias_ih_l0 + h @ rnn.weight_hh_l0.T + rnn.bias_hh_l0)
    print(t, torch.allclose(h, out[:, t], atol=1e-6))
print(rnn)
print(out.shape, h_n.shape)
print(h)
h.sum().backward()
for name, p in rnn.named_parameters():
    print(f"{name:<14} {p.grad.norm():.4f}")
