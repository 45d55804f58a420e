import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(1, 8)
        self.l2 = nn.Linear(8, 1)

    def functional_forward(self, x, params):
        x = F.linear(x, params[0], params[1])
        x = F.relu(x)
        return F.linear(x, params[2], params[3])

    def forward(self, x):
        return self.l2(F.relu(self.l1(x)))

model = Net()
meta_opt = torch.optim.Adam(model.parameters(), lr=1e-2)
inner_lr = 0.05

def task():
    amp = torch.rand(1) * 2 + 0.5
    phase = torch.rand(1) * 3.14
    def sample(n):
        x = torch.rand(n, 1) * 4 - 2
        return x, amp * torch.sin(x + phase)
    return sample

for it in range(5):
    meta_opt.zero_grad()
    meta_loss = 0.0
    for _ in range(3):
        sample = task()
        xs, ys = sample(5)
        xq, yq = sample(5)
        params = list(model.parameters())
        loss = F.mse_loss(model.functional_forward(xs, params), ys)
        grads = torch.autograd.grad(loss, params, create_graph=True)
        fast = [p - inner_lr * g for p, g in zip(params, grads)]
        meta_loss = meta_loss + F.mse_loss(model.functional_forward(xq, fast), yq)
    meta_loss /= 3
    meta_loss.backward()
    meta_opt.step()
    print(it, round(meta_loss.item(), 4))
