"""One matrix in two places: an autoencoder whose decoder is the encoder, turned round.

w reaches the loss as w and as w.T, and its gradient is the sum of both parts. Copies in the two
places show the parts apart.
"""

import torch

x = torch.tensor([[1.0, 0.5, -1.0], [0.2, -1.4, 0.6]])
w = torch.tensor([[0.5, -0.3, 0.2], [0.1, 0.4, -0.6]], requires_grad=True)


def reconstruction_loss(encoder, decoder):
    code = torch.tanh(x @ encoder.T)
    return ((code @ decoder - x) ** 2).mean()


encoder = w.detach().clone().requires_grad_()
decoder = w.detach().clone().requires_grad_()
parts = torch.autograd.grad(reconstruction_loss(encoder, decoder), (encoder, decoder))
print("as the encoder:", parts[0])
print("as the decoder:", parts[1])

loss = reconstruction_loss(w, w)
loss.backward()
print("tied:          ", w.grad)
print("their sum:     ", torch.allclose(w.grad, parts[0] + parts[1]))
