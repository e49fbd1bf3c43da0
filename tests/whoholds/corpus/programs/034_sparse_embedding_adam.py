"""Q20 hit 3. Documentation: zij SparseAdam (lazy Adam on the rows seen).
What it does: an embedding with sparse gradients under SparseAdam beside a dense layer under Adam.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.fc = nn.Embedding(50, 6, sparse=True), nn.Linear(6, 2)

    def forward(self, ids):
        return self.fc(self.emb(ids).mean(1))


net = Bag()
opts = [torch.optim.SparseAdam(list(net.emb.parameters()), lr=0.05), torch.optim.Adam(net.fc.parameters(), lr=0.05)]
for step in range(3):
    ids, y = torch.randint(0, 50, (4, 3)), torch.randint(0, 2, (4,))
    loss = F.cross_entropy(net(ids), y)
    for o in opts:
        o.zero_grad()
    loss.backward()
    for o in opts:
        o.step()
    print(step, net.emb.weight.grad.is_sparse, round(loss.item(), 4))
