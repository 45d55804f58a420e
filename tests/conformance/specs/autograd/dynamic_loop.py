# The graph follows the loop that ran.
import torch


def forward(x, limit):
    count = 0
    while x.norm() < limit:
        x = x * 2
        count += 1
    return x, count


for start in ([0.1, 0.2], [3.0, 4.0], [30.0, 40.0]):
    x = torch.tensor(start, requires_grad=True)
    y, count = forward(x, 20)
    y.sum().backward()
    print(count, x.grad)
