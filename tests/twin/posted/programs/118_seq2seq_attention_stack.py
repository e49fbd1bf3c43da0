"""R09 hit 2. Code: gabinho991/CS598, seq2seq.py (attention over GRU states, outputs stacked).
ends: ok
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(8, 4)
        self.rnn = nn.GRU(4, 5, bidirectional=True)
        self.fc = nn.Linear(10, 5)

    def forward(self, src):
        outputs, hidden = self.rnn(self.embedding(src))
        return outputs, torch.tanh(self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(8, 4)
        self.attn, self.v = nn.Linear(15, 5), nn.Linear(5, 1, bias=False)
        self.rnn = nn.GRU(14, 5)
        self.fc_out = nn.Linear(5, 8)

    def forward(self, input, hidden, encoder_outputs):
        length = encoder_outputs.shape[0]
        repeated = hidden.unsqueeze(1).repeat(1, length, 1)
        enc = encoder_outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((repeated, enc), dim=2)))
        a = F.softmax(self.v(energy).squeeze(2), dim=1).unsqueeze(1)
        weighted = torch.bmm(a, enc).permute(1, 0, 2)
        rnn_in = torch.cat((self.embedding(input.unsqueeze(0)), weighted), dim=2)
        output, hidden = self.rnn(rnn_in, hidden.unsqueeze(0))
        return self.fc_out(output.squeeze(0)), hidden.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, src, trg, teacher_forcing_ratio=0.5):
        trg_len, batch_size = trg.shape
        outputs = []
        encoder_outputs, hidden = self.encoder(src)
        input = trg[0, :]
        for t in range(1, trg_len):
            output, hidden = self.decoder(input, hidden, encoder_outputs)
            outputs.append(output)
            top1 = output.argmax(1)
            input = trg[t] if torch.rand(1).item() < teacher_forcing_ratio else top1
        return torch.stack(outputs)


model = Seq2Seq(Encoder(), Decoder())
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
src, trg = torch.randint(0, 8, (6, 2)), torch.randint(0, 8, (5, 2))
for _ in range(2):
    out = model(src, trg, 1.0)
    loss = F.cross_entropy(out.flatten(0, 1), trg[1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(out.shape, out.grad_fn.name(), round(loss.item(), 4))
