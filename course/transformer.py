"""A transformer block written from ops, which lesson 19 measures and checkpoints.

Every `.grad` is there beforehand, so that what a step adds is activations. Runs on either engine.
"""

import minigrad as mg


def attend(q, k, v):
    """softmax(q k' / root of a head's width) v: each token asks all."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return scores.softmax(-1) @ v


def attend_dropping(q, k, v):
    """The same, with dropout on the weights."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return mg.nn.functional.dropout(scores.softmax(-1), 0.1) @ v


class Attention(mg.nn.Module):
    """In so many heads, each on its own part of the width."""

    def __init__(self, width, heads, mix=None):
        super().__init__()
        self.heads, self.mix = heads, mix or attend
        self.into = mg.nn.Linear(width, 3 * width)
        self.out = mg.nn.Linear(width, width)

    def split(self, h):
        batch, length, width = h.shape
        parts = h.view(batch, length, self.heads, width // self.heads)
        return parts.transpose(1, 2)

    def forward(self, h):
        q, k, v = (self.split(part) for part in self.into(h).chunk(3, -1))
        return self.out(self.mix(q, k, v).transpose(1, 2).reshape(h.shape))


class Block(mg.nn.Module):
    """h + attention(norm(h)), then h + mlp(norm(h)), as GPT-2 has it."""

    def __init__(self, width, heads, mix=None, act=None):
        super().__init__()
        self.norm1 = mg.nn.LayerNorm(width)
        self.attention = Attention(width, heads, mix)
        self.norm2 = mg.nn.LayerNorm(width)
        self.act = act or mg.nn.functional.gelu
        self.up = mg.nn.Linear(width, 4 * width)
        self.down = mg.nn.Linear(4 * width, width)
        for weight in self.parameters():
            weight.grad = mg.zeros_like(weight)

    def asks(self, h):
        return h + self.attention(self.norm1(h))

    def thinks(self, h):
        return h + self.down(self.act(self.up(self.norm2(h))))

    def forward(self, h):
        return self.thinks(self.asks(h))


def keeps(block, h):
    """Bytes that a forward adds: what was saved, the result as well."""
    before = mg.memory_allocated()
    y = block(h)
    after = mg.memory_allocated()
    del y
    return after - before


def again(run, h):
    """PyTorch's checkpoint, in the version that lesson 10 came to."""
    return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=False)
