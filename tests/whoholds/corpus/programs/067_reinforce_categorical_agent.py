"""Q34 hit 6. Tutorial: wasilzafar.com (policy gradient methods and REINFORCE).
What it does: a policy with act, an agent that collects an episode's log probabilities, discounted returns, one update per episode.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 2))

    def act(self, s):
        d = torch.distributions.Categorical(logits=self.net(s))
        a = d.sample()
        return a.item(), d.log_prob(a)


policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=0.02)
for episode in range(4):
    s, logs, rewards = torch.zeros(2), [], []
    for _ in range(8):
        a, lp = policy.act(s)
        s = s + torch.tensor([0.5 if a else -0.5, 0.1])
        logs.append(lp)
        rewards.append(-abs(s[0].item() - 1))
    g, returns = 0.0, []
    for r in reversed(rewards):
        g = r + 0.9 * g
        returns.insert(0, g)
    ret = torch.tensor(returns)
    ret = (ret - ret.mean()) / (ret.std() + 1e-6)
    loss = -(torch.stack(logs) * ret).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(episode, round(sum(rewards), 3), round(loss.item(), 4))
