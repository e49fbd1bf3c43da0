"""Q36 hit 1. Question-and-answer page: answer 54236136 (tying weights in machine translation).
What it does: a decoder whose output layer shares the embedding's weight, after a projection to its size.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Decoder(nn.Module):
    def __init__(self, vocab=20, emb=6, hid=12):
        super().__init__()
        self.emb, self.rnn = nn.Embedding(vocab, emb), nn.GRU(emb, hid, batch_first=True)
        self.down, self.out = nn.Linear(hid, emb, bias=False), nn.Linear(emb, vocab)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        return self.out(self.down(h))


net = Decoder()
opt = torch.optim.Adam(net.parameters(), lr=0.02)
ids = torch.randint(0, 20, (3, 7))
for step in range(3):
    loss = F.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, len(list(net.parameters())), round(loss.item(), 4))
