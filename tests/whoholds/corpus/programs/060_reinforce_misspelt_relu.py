"""Q34 hit 5. Notebook: wasuratme96/Deep-Reinforcement-Learning (REINFORCE).
What it does: a policy class that keeps log probabilities and rewards; the layer's name is misspelt in its constructor.
ends: AttributeError: module 'torch.nn' has no attribute 'Relu'
Cause: the activation is called nn.ReLU.
"""
import torch
from torch import nn

torch.manual_seed(0)


class Pi(nn.Module):
    def __init__(self, nin, nout):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(nin, 16), nn.Relu(), nn.Linear(16, nout))
        self.log_probs, self.rewards = [], []

    def act(self, state):
        pd = torch.distributions.Categorical(logits=self.model(state))
        action = pd.sample()
        self.log_probs.append(pd.log_prob(action))
        return action.item()


pi = Pi(4, 2)
print(pi.act(torch.randn(4)))
