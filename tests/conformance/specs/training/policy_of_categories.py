import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(1)
policy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for ep in range(3):
    logps, rewards = [], []
    for t in range(5):
        dist = Categorical(logits=policy(torch.randn(4)))
        a = dist.sample()
        logps.append(dist.log_prob(a)); rewards.append(float(a.item() == 1))
    R, returns = 0.0, []
    for r in reversed(rewards):
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = -torch.stack([l * r for l, r in zip(logps, returns)]).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    print(ep, sum(rewards), round(loss.item(), 4))
