"""Q05 hit 1. Pull request: aladdinpersson/Machine-Learning-Collection #155 (retain_graph in the discriminator's backward).
What it does: a GAN whose fake goes undetached into D; D's backward keeps the graph, G then uses the same fake again.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Gen(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.1), nn.Linear(16, 12), nn.Tanh())

    def forward(self, z):
        return self.net(z)


class Disc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 16), nn.LeakyReLU(0.1), nn.Linear(16, 1), nn.Sigmoid())

    def forward(self, x):
        return self.net(x)


gen, disc = Gen(), Disc()
opt_g = torch.optim.Adam(gen.parameters(), lr=3e-3)
opt_d = torch.optim.Adam(disc.parameters(), lr=3e-3)
bce = nn.BCELoss()
for step in range(4):
    real = torch.rand(10, 12)
    fake = gen(torch.randn(10, 8))
    p_real, p_fake = disc(real).view(-1), disc(fake).view(-1)
    loss_d = (bce(p_real, torch.ones(10)) + bce(p_fake, torch.zeros(10))) / 2
    disc.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_d.step()
    again = disc(fake).view(-1)
    loss_g = bce(again, torch.ones(10))
    gen.zero_grad()
    loss_g.backward()
    opt_g.step()
    print(step, round(loss_d.item(), 4), round(loss_g.item(), 4))
