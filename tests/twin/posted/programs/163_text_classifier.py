"""R32 hit 2. Code: NIBRAS19/Ai-Engineer-Roadmap, day 90 (Embedding, LSTM, Linear; the last state is classified).
ends: ok
"""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, output_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.lstm = nn.LSTM(embed_dim, hidden_dim, batch_first=True)
        self.fc = nn.Linear(hidden_dim, output_dim)

    def forward(self, text):
        embedded = self.embedding(text)
        output, (hn, cn) = self.lstm(embedded)
        return self.fc(hn[-1])


model = TextClassifier(15, 4, 6, 1)
data = TensorDataset(torch.randint(1, 15, (12, 7)), torch.arange(12) % 2)
criterion, optimizer = nn.BCEWithLogitsLoss(), torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(2):
    total, right = 0.0, 0
    for text, label in DataLoader(data, batch_size=5, drop_last=False):
        logits = model(text).squeeze(1)
        loss = criterion(logits, label.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(label)
        right += ((torch.sigmoid(logits) > 0.5).long() == label).sum().item()
    print(epoch, round(total / len(data), 4), right)
print(model.embedding.weight[0], model.embedding.weight.grad[0])
