"""Repair of programs/040_gan_step_before_g_backward.py.
Repair: D gets the detached fake for its own step, and its score of the fake is computed anew for G after that step.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 8), nn.PReLU(), nn.Linear(8, 6))
D = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for step in range(2):
    low, high = torch.randn(5, 4), torch.randn(5, 6)
    fake = G(low)
    p_real, p_fake = D(high).mean(), D(fake.detach()).mean()
    d_loss = 1 - p_real + p_fake
    D.zero_grad()
    d_loss.backward()
    od.step()
    g_loss = F.mse_loss(fake, high) + 0.001 * (1 - D(fake).mean())
    G.zero_grad()
    g_loss.backward()
    og.step()
    print(round(d_loss.item(), 4), round(g_loss.item(), 4))
