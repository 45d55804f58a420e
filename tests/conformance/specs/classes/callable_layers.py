# A tiny layer library without nn.
import torch


class Layer:
    def parameters(self):
        return []

    def __call__(self, x):
        raise NotImplementedError


class Dense(Layer):
    def __init__(self, n_in, n_out, generator):
        self.w = (torch.randn(n_in, n_out, generator=generator) / n_in ** 0.5).requires_grad_()
        self.b = torch.zeros(n_out, requires_grad=True)

    def __call__(self, x):
        return x @ self.w + self.b

    def parameters(self):
        return [self.w, self.b]

    def __repr__(self):
        return "Dense(%d, %d)" % tuple(self.w.shape)


class Tanh(Layer):
    def __call__(self, x):
        return x.tanh()

    def __repr__(self):
        return "Tanh()"


class Stack(Layer):
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, i):
        return self.layers[i]


g = torch.Generator().manual_seed(3)
net = Stack(Dense(2, 6, g), Tanh(), Dense(6, 1, g))
print(len(net), net[0], net[1], [layer for layer in net.layers])
x = torch.tensor([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
t = torch.tensor([[1.0], [0.0], [1.0]])
for k in range(60):
    loss = ((net(x) - t) ** 2).mean()
    for p in net.parameters():
        p.grad = None
    loss.backward()
    for p in net.parameters():
        p.data -= 0.3 * p.grad
    if k % 20 == 0:
        print(k, f"{loss.item():.5f}")
print(len(net.parameters()), sum(p.numel() for p in net.parameters()))
