import torch
import torch.nn as nn

torch.manual_seed(3)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1)
    inter = (eps * real + (1 - eps) * fake).requires_grad_(True)
    out = critic(inter)
    grads = torch.autograd.grad(outputs=out, inputs=inter, grad_outputs=torch.ones_like(out),
                                create_graph=True, retain_graph=True, only_inputs=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()
opt = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
for i in range(4):
    real = torch.randn(8, 2) + 1
    fake = torch.randn(8, 2)
    loss = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    print(f"{i}: {loss:.5f}")
for n, p in critic.named_parameters():
    print(n, p.grad.abs().sum().item() > 0, tuple(p.shape))
