import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
class VAE(nn.Module):
    def __init__(self, d=6, h=5, z=2):
        super().__init__()
        self.fc1 = nn.Linear(d, h)
        self.fc21 = nn.Linear(h, z)
        self.fc22 = nn.Linear(h, z)
        self.fc3 = nn.Linear(z, h)
        self.fc4 = nn.Linear(h, d)
    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)
    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std
    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))
    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 6))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar
def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 6), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = (torch.rand(12, 2, 3) > 0.5).float()
for epoch in range(1, 4):
    model.train()
    train_loss = 0
    for i in range(0, 12, 4):
        optimizer.zero_grad()
        recon, mu, logvar = model(data[i:i+4])
        loss = loss_function(recon, data[i:i+4], mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print('====> Epoch: {} Average loss: {:.4f}'.format(epoch, train_loss / len(data)))
with torch.no_grad():
    print(model.decode(torch.zeros(1, 2)))
