"""Q31 hit 2. Code: BreadxPeat/Deep-Learning-based-AD-detection, train.py.
What it does: a VAE with sigma given directly, summed binary cross entropy and the KL term, in a train function.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self, n=12, z=3):
        super().__init__()
        self.enc, self.mu, self.sigma = nn.Linear(n, 10), nn.Linear(10, z), nn.Linear(10, z)
        self.dec = nn.Sequential(nn.Linear(z, 10), nn.ReLU(), nn.Linear(10, n), nn.Sigmoid())

    def forward(self, x):
        h = F.relu(self.enc(x))
        mu, sigma = self.mu(h), self.sigma(h)
        return self.dec(mu + sigma * torch.randn_like(sigma)), mu, sigma


def train(epochs, model, opt, loss_fn):
    for epoch in range(epochs):
        for _ in range(3):
            x = torch.rand(8, 3, 4).view(-1, 12)
            back, mu, sigma = model(x)
            kl = -torch.sum(1 + torch.log(sigma.pow(2)) - mu.pow(2) - sigma.pow(2))
            loss = loss_fn(back, x) + kl
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, round(loss.item(), 3))


model = VAE()
train(2, model, torch.optim.Adam(model.parameters(), lr=3e-3), nn.BCELoss(reduction="sum"))
