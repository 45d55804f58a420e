# backward(inputs=...) fills only the leaves that are named.
import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
c = torch.tensor(3.0, requires_grad=True)
y = a * b * c
y.backward(inputs=[a, c])
print(a.grad, b.grad, c.grad)

z = a + b
torch.autograd.backward(z)
print(a.grad, b.grad, c.grad)
torch.autograd.backward([a * 2, b * b], [torch.tensor(10.0), torch.tensor(1.0)])
print(a.grad, b.grad)
