# A small convolutional net, with the shape after every layer.
import torch
import torch.nn as nn
import torch.nn.functional as F


class LeNetish(nn.Module):
    def __init__(self):
        super(LeNetish, self).__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 6, kernel_size=3, stride=2)
        self.fc = nn.Linear(6 * 3 * 3, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        print("after conv1:", x.size())
        x = F.relu(self.conv2(x))
        print("after conv2:", x.size())
        x = x.view(x.size(0), -1)
        print("flat:", x.size())
        return F.log_softmax(self.fc(x), dim=1)


torch.manual_seed(4)
net = LeNetish()
print(net)
out = net(torch.randn(2, 1, 14, 14))
print(out.shape, torch.allclose(out.exp().sum(1), torch.ones(2)))
loss = F.nll_loss(out, torch.tensor([3, 7]))
loss.backward()
print(f"{loss.item():.4f}")
print([tuple(p.grad.shape) for p in net.parameters()])
