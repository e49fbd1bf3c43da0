"""Repair of programs/003_rnn_hidden_wrapped_once.py.
Repair: the hidden state is detached at the start of every batch.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class CharRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 6)
        self.cell = nn.LSTMCell(6, 12)
        self.out = nn.Linear(12, 10)

    def forward(self, tok, state):
        state = self.cell(self.embed(tok), state)
        return self.out(state[0]), state


net = CharRNN()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
text = torch.randint(0, 10, (3, 5, 4))
state = (torch.zeros(4, 12), torch.zeros(4, 12))
for batch in text:
    state = tuple(s.detach() for s in state)
    loss = 0
    for t in range(4):
        logits, state = net(batch[t], state)
        loss = loss + F.cross_entropy(logits, batch[t + 1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(round(loss.item(), 4))
