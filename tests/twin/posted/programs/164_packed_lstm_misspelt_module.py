"""R32 hit 3. Code: cplm98/SEC-Data-Analysis, lstm.py (packed sequences; the base class is misspelt).
ends: AttributeError
"""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class LSTM(nn.module):
    def __init__(self, vocab_length, embedding_dim, hidden_dim):
        super(LSTM, self).__init__()
        self.embedding = nn.Embedding(vocab_length, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.linear = nn.Linear(hidden_dim, 2)

    def forward(self, text, text_len):
        packed = pack_padded_sequence(self.embedding(text), text_len, batch_first=True, enforce_sorted=False)
        output, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return torch.sigmoid(self.linear(output[:, 0]))


print(LSTM(5, 3, 4)(torch.ones(2, 3, dtype=torch.long), torch.tensor([3, 1])))
