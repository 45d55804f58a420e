# Two nets with two optimizers, and detach between them.
import torch
from torch import nn, optim

torch.manual_seed(6)
G = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))
D = nn.Sequential(nn.Linear(1, 4), nn.LeakyReLU(0.1), nn.Linear(4, 1))
opt_g = optim.Adam(G.parameters(), lr=0.02)
opt_d = optim.Adam(D.parameters(), lr=0.02)
bce = nn.BCEWithLogitsLoss()
real_label, fake_label = torch.ones(16, 1), torch.zeros(16, 1)
for it in range(21):
    real = torch.randn(16, 1) * 0.5 + 3
    fake = G(torch.randn(16, 1))
    opt_d.zero_grad()
    d_loss = bce(D(real), real_label) + bce(D(fake.detach()), fake_label)
    d_loss.backward()
    untouched = all(p.grad is None or not p.grad.any() for p in G.parameters())
    opt_d.step()
    opt_g.zero_grad()
    g_loss = bce(D(fake), real_label)
    g_loss.backward()
    opt_g.step()
    if it % 10 == 0:
        print(f"[{it:02d}] D {d_loss.item():.3f}  G {g_loss.item():.3f}  {untouched}")
