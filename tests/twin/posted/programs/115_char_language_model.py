"""R08 hit 2. Page: mathisimple.com PyTorch sequence models.
ends: ok
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CharLanguageModel(nn.Module):
    def __init__(self, vocab_size, embed_dim=6, hidden_size=8, num_layers=2, dropout=0.3):
        super().__init__()
        self.num_layers, self.hidden_size = num_layers, hidden_size
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.lstm = nn.LSTM(
            input_size=embed_dim,
            hidden_size=hidden_size,
            num_layers=num_layers,
            dropout=dropout if num_layers > 1 else 0.0,
            batch_first=True,
        )
        self.output = nn.Linear(hidden_size, vocab_size)

    def forward(self, x, state=None):
        embedded = self.embedding(x)
        if state is None:
            state = self.init_state(x.size(0), x.device)
        out, state = self.lstm(embedded, state)
        return self.output(out), state

    def init_state(self, batch, device):
        shape = (self.num_layers, batch, self.hidden_size)
        return torch.zeros(shape, device=device), torch.zeros(shape, device=device)


torch.manual_seed(0)
model = CharLanguageModel(12)
model.eval()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
text = torch.arange(2 * 21).view(2, 21) % 12
state = None
for i in range(0, 20, 5):
    x, y = text[:, i : i + 5], text[:, i + 1 : i + 6]
    if state is not None:
        state = tuple(s.detach() for s in state)
    logits, state = model(x, state)
    loss = F.cross_entropy(logits.reshape(-1, 12), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    print(logits.shape, round(math.exp(loss.item()), 2), bool(norm > 0))


@torch.no_grad()
def generate(prefix, n):
    state, out = None, list(prefix)
    for token in prefix:
        logits, state = model(torch.tensor([[token]]), state)
    for _ in range(n):
        token = logits[0, -1].argmax().item()
        out.append(token)
        logits, state = model(torch.tensor([[token]]), state)
    return out


print(len(generate([1, 2, 3], 4)))
