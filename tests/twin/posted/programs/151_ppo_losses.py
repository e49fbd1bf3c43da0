"""R26 hit 1. Code: Eclectic-Sheep/sheeprl, notes on PPO (policy and value losses, clipped).
ends: ok
"""
import torch
from torch import nn
from torch.nn.functional import mse_loss

torch.manual_seed(0)


def value_loss(new_values, old_values, returns, clip_coef, clip_vloss):
    if not clip_vloss:
        values_pred = new_values
    else:
        values_pred = old_values + torch.clamp(new_values - old_values, -clip_coef, clip_coef)
    return mse_loss(values_pred, returns)


def policy_loss(dist, batch, clip_coef):
    new_logprobs = dist.log_prob(batch["actions"])
    logratio = new_logprobs - batch["logprobs"]
    ratio = logratio.exp()
    advantages = batch["advantages"]
    pg_loss1 = advantages * ratio
    pg_loss2 = advantages * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)
    return torch.min(pg_loss1, pg_loss2).mean()


actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
params = list(actor.parameters()) + list(critic.parameters())
opt = torch.optim.Adam(params, lr=0.02, eps=1e-5)
obs = torch.randn(10, 4)
with torch.no_grad():
    dist = torch.distributions.Categorical(logits=actor(obs))
    actions = torch.arange(10) % 3
    batch = {"actions": actions, "logprobs": dist.log_prob(actions)}
    old_values = critic(obs).flatten()
rewards = torch.linspace(-1, 1, 10)
returns = rewards + 0.9 * old_values
adv = returns - old_values
batch["advantages"] = (adv - adv.mean()) / (adv.std() + 1e-8)
for epoch in range(3):
    dist = torch.distributions.Categorical(logits=actor(obs))
    v = value_loss(critic(obs).flatten(), old_values, returns, 0.2, True)
    loss = -policy_loss(dist, batch, 0.2) + 0.5 * v - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 0.5)
    opt.step()
    print(epoch, round(loss.item(), 4))
