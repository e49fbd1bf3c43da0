"""R26 hit 2. Code: Toni-SM/skrl, documentation of PPO (returns and advantages backwards in time, early stop by divergence).
ends: ok
"""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 8), nn.ELU(), nn.Linear(8, 2))
log_std = nn.Parameter(torch.zeros(2))
value = nn.Sequential(nn.Linear(3, 8), nn.ELU(), nn.Linear(8, 1))
states = torch.randn(12, 3)
with torch.no_grad():
    dist = Normal(policy(states), log_std.exp())
    actions = dist.mean + 0.5
    old_logp = dist.log_prob(actions).sum(-1, keepdim=True)
    values = value(states)
rewards = torch.linspace(0, 1, 12).view(-1, 1)
done = torch.zeros(12, 1, dtype=torch.bool)
done[5] = True
advantages, advantage = torch.zeros_like(rewards), 0
for i in reversed(range(12)):
    next_value = values[i + 1] if i < 11 else torch.zeros(1)
    going = done[i].logical_not()
    advantage = rewards[i] - values[i] + 0.99 * going * (next_value + 0.95 * advantage)
    advantages[i] = advantage
returns = advantages + values
advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
parameters = [*policy.parameters(), log_std, *value.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.05)
for epoch in range(6):
    dist = Normal(policy(states), log_std.exp())
    logp = dist.log_prob(actions).sum(-1, keepdim=True)
    with torch.no_grad():
        ratio = logp - old_logp
        kl = ((torch.exp(ratio) - 1) - ratio).mean()
    if kl > 0.05:
        print("stopped", epoch)
        break
    ratio = torch.exp(logp - old_logp)
    surrogate = advantages * ratio
    clipped = advantages * torch.clip(ratio, 0.8, 1.2)
    policy_loss = -torch.min(surrogate, clipped).mean()
    value_loss = nn.functional.mse_loss(returns, value(states))
    entropy = dist.entropy().mean()
    optimizer.zero_grad()
    (policy_loss + value_loss - 0.01 * entropy).backward()
    optimizer.step()
    print(epoch, round(kl.item(), 4), round(policy_loss.item(), 4), round(value_loss.item(), 4))
