"""Q06 hit 2. Issue: pytorch/pytorch #64586 (Memory Leak in torch.autograd.grad).
What it does: the gradient penalty on small pictures with a convolutional critic, added to the critic's loss.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class ConvCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.InstanceNorm2d(4, affine=True), nn.LeakyReLU(0.2), nn.Conv2d(4, 1, 4))

    def forward(self, x):
        return self.net(x)


def grad_penalty(D, real, fake):
    eta = torch.empty(real.size(0), 1, 1, 1).uniform_(0, 1).expand_as(real)
    mixed = eta * real + (1 - eta) * fake
    mixed = torch.autograd.Variable(mixed, requires_grad=True)
    p = D(mixed)
    g = torch.autograd.grad(outputs=p, inputs=mixed, grad_outputs=torch.ones(p.size()), create_graph=True, retain_graph=True)[0]
    return ((g.flatten(1).norm(2, dim=1) - 1) ** 2).mean() * 10


D = ConvCritic()
G = nn.Sequential(nn.ConvTranspose2d(3, 4, 4), nn.ReLU(), nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Tanh())
od = torch.optim.Adam(D.parameters(), lr=1e-3)
og = torch.optim.Adam(G.parameters(), lr=1e-3)
for it in range(3):
    for p in D.parameters():
        p.requires_grad = True
    real, fake = torch.rand(3, 1, 8, 8), G(torch.randn(3, 3, 1, 1))
    D.zero_grad()
    d_loss = D(fake.detach()).mean() - D(real).mean() + grad_penalty(D, real, fake.detach())
    d_loss.backward()
    od.step()
    for p in D.parameters():
        p.requires_grad = False
    G.zero_grad()
    g_loss = -D(fake).mean()
    g_loss.backward()
    og.step()
    print(it, round(d_loss.item(), 4), round(g_loss.item(), 4))
