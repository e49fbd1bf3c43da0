"""R35 hit 4. Code: Kukiezi/Steam-Video-Games-Recommendation-Engine, matrix_factor.py.
ends: ok
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class MF(nn.Module):
    def __init__(self, num_users, num_items, emb_size=100):
        super(MF, self).__init__()
        self.user_emb = nn.Embedding(num_users, emb_size)
        self.item_emb = nn.Embedding(num_items, emb_size)
        self.user_emb.weight.data.uniform_(0, 0.5)
        self.item_emb.weight.data.uniform_(0, 0.5)

    def forward(self, u, v):
        u = self.user_emb(u)
        v = self.item_emb(v)
        return (u * v).sum(1)


def train_epocs(model, epochs=3, lr=0.1, wd=0.0):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=wd)
    model.train()
    for i in range(epochs):
        y_hat = model(users, items)
        loss = F.mse_loss(y_hat, ratings)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(round(loss.item(), 4))


torch.manual_seed(0)
users, items = torch.LongTensor([0, 1, 2, 3, 0, 1]), torch.LongTensor([0, 0, 1, 2, 3, 3])
ratings = torch.FloatTensor([4, 5, 1, 2, 3, 5])
model = MF(4, 4, emb_size=5)
train_epocs(model, wd=1e-5)
model.eval()
print(model(users, items).shape, model.user_emb)
