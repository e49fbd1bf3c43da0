"""R09 hit 1. Code: rosacry/nptop, seq2seq.py (outputs of a decoder written into a tensor of zeros).
ends: ok
"""
import random

import torch
import torch.nn as nn

torch.manual_seed(0)
random.seed(0)


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding, self.rnn = nn.Embedding(vocab, emb), nn.LSTM(emb, hid)

    def forward(self, src):
        outputs, (hidden, cell) = self.rnn(self.embedding(src))
        return outputs, hidden, cell


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.output_dim = vocab
        self.embedding, self.rnn = nn.Embedding(vocab, emb), nn.LSTM(emb, hid)
        self.fc_out = nn.Linear(hid, vocab)

    def forward(self, input, hidden, cell):
        output, (hidden, cell) = self.rnn(self.embedding(input.unsqueeze(0)), (hidden, cell))
        return self.fc_out(output.squeeze(0)), hidden, cell


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, device):
        super().__init__()
        self.encoder, self.decoder, self.device = encoder, decoder, device

    def forward(self, src, trg, teacher_forcing_ratio=0.5):
        batch_size, trg_len = trg.shape[1], trg.shape[0]
        outputs = torch.zeros(trg_len, batch_size, self.decoder.output_dim).to(self.device)
        encoder_outputs, hidden, cell = self.encoder(src)
        input = trg[0, :]
        for t in range(1, trg_len):
            output, hidden, cell = self.decoder(input, hidden, cell)
            outputs[t] = output
            teacher_force = random.random() < teacher_forcing_ratio
            top1 = output.argmax(1)
            input = trg[t] if teacher_force else top1
        return outputs


device = torch.device("cpu")
model = Seq2Seq(Encoder(9, 4, 6), Decoder(9, 4, 6), device).to(device)
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss(ignore_index=0)
src, trg = torch.randint(1, 9, (5, 3)), torch.randint(1, 9, (4, 3))
for epoch in range(2):
    optimizer.zero_grad()
    output = model(src, trg)
    loss = criterion(output[1:].view(-1, 9), trg[1:].view(-1))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
    optimizer.step()
    print(output.shape, output.grad_fn.name(), round(loss.item(), 4))
print(f"{sum(p.numel() for p in model.parameters() if p.requires_grad):,} parameters")
