# How older snippets spell it: Variable, .data, volatile-free.
import torch
from torch.autograd import Variable

x = Variable(torch.ones(2, 2), requires_grad=True)
print(x)
y = x + 2
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad)
print(x.data, x.grad.data, out.data.item())
w = Variable(torch.Tensor([1.0]), requires_grad=True)
for i in range(3):
    loss = (w * 3 - 6).pow(2).sum()
    loss.backward()
    w.data -= 0.01 * w.grad.data
    w.grad.data.zero_()
    print(i, w.data[0].item(), loss.item())
print(torch.FloatTensor([1, 2]), torch.LongTensor([1, 2]) * 2)
