"""R11 hit 3. Page: e-com-net.com Transformer explained (multi-head attention, add and norm, positional encoding, masks).
ends: ok
"""
import math

import torch
from torch import nn

torch.manual_seed(0)


def sequence_mask(X, valid_len, value=0):
    maxlen = X.size(1)
    mask = torch.arange(maxlen, dtype=torch.float32)[None, :] < valid_len[:, None]
    X[~mask] = value
    return X


def masked_softmax(X, valid_lens):
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    X = sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden, heads, bias=False):
        super().__init__()
        self.heads = heads
        self.W_q = nn.Linear(hidden, hidden, bias=bias)
        self.W_k = nn.Linear(hidden, hidden, bias=bias)
        self.W_v = nn.Linear(hidden, hidden, bias=bias)
        self.W_o = nn.Linear(hidden, hidden, bias=bias)

    def split(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.heads, -1).permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def forward(self, q, k, v, valid_lens):
        q, k, v = self.split(self.W_q(q)), self.split(self.W_k(k)), self.split(self.W_v(v))
        valid_lens = torch.repeat_interleave(valid_lens, repeats=self.heads, dim=0)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
        out = torch.bmm(masked_softmax(scores, valid_lens), v)
        out = out.reshape(-1, self.heads, out.shape[1], out.shape[2]).permute(0, 2, 1, 3)
        return self.W_o(out.reshape(out.shape[0], out.shape[1], -1))


class PositionalEncoding(nn.Module):
    def __init__(self, hidden, max_len=20):
        super().__init__()
        self.P = torch.zeros((1, max_len, hidden))
        X = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1) / torch.pow(
            10000, torch.arange(0, hidden, 2, dtype=torch.float32) / hidden
        )
        self.P[:, :, 0::2] = torch.sin(X)
        self.P[:, :, 1::2] = torch.cos(X)

    def forward(self, X):
        return X + self.P[:, : X.shape[1], :].to(X.device)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(8, 2)
        self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)
        self.ffn = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, X, valid_lens):
        Y = self.norm1(X + self.attention(X, X, X, valid_lens))
        return self.norm2(Y + self.ffn(Y))


X = PositionalEncoding(8)(torch.randn(2, 5, 8))
block = Block()
Y = block(X, torch.tensor([3, 2]))
print(Y.shape, Y.grad_fn.name())
Y.pow(2).mean().backward()
print([tuple(p.grad.shape) for p in block.parameters()])
