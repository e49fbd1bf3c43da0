"""R19 hit 1. Code: cloudpetticoats/deep-reinforcement-learning, DDPG notes (actor, critic and their slow copies).
ends: ok
"""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, state, action):
        return self.net(torch.cat([state, action], 1))


actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2), nn.Tanh())
critic = Critic()
target_actor, target_critic = copy.deepcopy(actor), copy.deepcopy(critic)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-2)
s, a, r, s2 = torch.randn(8, 3), torch.randn(8, 2), torch.randn(8, 1), torch.randn(8, 3)
done = (torch.arange(8) % 4 == 0).float().unsqueeze(1)
for step in range(3):
    with torch.no_grad():
        y = r + 0.99 * (1 - done) * target_critic(s2, target_actor(s2))
    critic_loss = F.mse_loss(critic(s, a), y)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    actor_loss = -critic(s, actor(s)).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    for net, slow in ((actor, target_actor), (critic, target_critic)):
        for p, q in zip(net.parameters(), slow.parameters()):
            q.data.mul_(0.99)
            q.data.add_(0.01 * p.data)
    print(step, round(critic_loss.item(), 4), round(actor_loss.item(), 4))
