"""Repair of programs/060_reinforce_misspelt_relu.py.
Repair: the activation is spelt nn.ReLU.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Pi(nn.Module):
    def __init__(self, nin, nout):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(nin, 16), nn.ReLU(), nn.Linear(16, nout))
        self.log_probs, self.rewards = [], []

    def act(self, state):
        pd = torch.distributions.Categorical(logits=self.model(state))
        action = pd.sample()
        self.log_probs.append(pd.log_prob(action))
        return action.item()


pi = Pi(4, 2)
print(pi.act(torch.randn(4)))
