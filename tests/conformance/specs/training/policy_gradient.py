# REINFORCE on a three-armed bandit with a seeded sampler.
import torch

torch.manual_seed(8)
pay = torch.tensor([0.2, 0.5, 0.9])
theta = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([theta], lr=0.5)
baseline = 0.0
total = 0
for t in range(60):
    probs = torch.softmax(theta, dim=0)
    u = torch.rand(1).item()
    edges = torch.cumsum(probs, 0).tolist()
    arm = 0
    while arm < 2 and u > edges[arm]:
        arm += 1
    reward = 1.0 if torch.rand(1).item() < pay[arm] else 0.0
    loss = -(reward - baseline) * torch.log(probs[arm])
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline += 0.1 * (reward - baseline)
    total += int(reward)
print("reward:", total, "of 60")
print("best arm:", theta.argmax().item())
print(f"{torch.softmax(theta, 0)[2].item():.3f}")
