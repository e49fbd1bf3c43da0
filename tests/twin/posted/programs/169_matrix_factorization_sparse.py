"""R35 hit 1. Code: ChiOni's notes on matrix factorization (sparse embeddings, Variable, a loss of each rating).
ends: ok
"""
import torch
from torch.autograd import Variable


class MatrixFactorization(torch.nn.Module):
    def __init__(self, n_users, n_items, n_factors=20):
        super().__init__()
        self.user_factors = torch.nn.Embedding(n_users, n_factors, sparse=True)
        self.item_factors = torch.nn.Embedding(n_items, n_factors, sparse=True)

    def forward(self, user, item):
        return (self.user_factors(user) * self.item_factors(item)).sum(1)

    def predict(self, user, item):
        return self.forward(user, item)


torch.manual_seed(0)
model = MatrixFactorization(5, 6, n_factors=3)
loss_fn = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for row, col, rating in [(0, 1, 3.0), (2, 4, 1.0), (0, 5, 2.0)]:
    row, col = Variable(torch.LongTensor([row])), Variable(torch.LongTensor([col]))
    rating = Variable(torch.FloatTensor([rating]))
    loss = loss_fn(model(row, col), rating)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4), model.user_factors.weight.grad.is_sparse)
