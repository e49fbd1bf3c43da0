"""Lesson 12's nets: chains of reversible blocks that run in two ways, stored and reversible.

`through` keeps all activations: that is the stored twin. `reversible` is one node, which keeps the
output and rebuilds the rest on the way back. Only what minigrad and PyTorch share is used, since
the lesson's cells run on both.
"""

import minigrad as mg
from course.pictures import wrongness

EPS = 6e-8  # the largest relative error of one rounding in float32


def numbers(rows, columns, seed, spread):
    """A matrix of numbers between -spread and spread, the same on each machine and engine."""
    seed = 7919 * seed + 137  # so no relu of four blocks meets a number that rounding turns
    values = [(seed := (69069 * seed + 1) % 2**32) / 2**31 - 1 for _ in range(rows * columns)]
    return mg.tensor(values).view(rows, columns) * spread


def batch():
    """64 rows of 32 numbers, of mean 0 and variance 1."""
    return numbers(64, 32, 0, 3**0.5)


class Half(mg.nn.Module):
    """An F or a G: 16 numbers to 32, something in the `middle`, and back to 16.

    The first weight keeps the size of what passes a relu (He initialisation), the second returns
    `size` times as much as came in.
    """

    def __init__(self, seed, middle, size, dtype):
        super().__init__()
        self.a = mg.nn.Parameter(numbers(16, 32, seed, (6 / 16) ** 0.5).to(dtype))
        self.b = mg.nn.Parameter(numbers(32, 16, seed + 1, size * (3 / 32) ** 0.5).to(dtype))
        self.middle = middle

    def forward(self, u):
        return self.middle(u @ self.a) @ self.b


def net(depth, middle=mg.nn.ReLU, size=1.0, dtype=mg.float32):
    """`depth` pairs (F, G) with large weights."""
    return _pairs([Half(2 * i + 1, middle(), size, dtype) for i in range(2 * depth)])


def linear_net(depth, dtype=mg.float32, seed=0):
    """`depth` pairs (F, G) of `nn.Linear`, relu and `nn.Linear`, as they start by default."""
    mg.manual_seed(seed)
    return _pairs([_linear_half().to(dtype) for _ in range(2 * depth)])


def _linear_half():
    return mg.nn.Sequential(mg.nn.Linear(16, 32), mg.nn.ReLU(), mg.nn.Linear(32, 16))


def _pairs(halves):
    return list(zip(halves[::2], halves[1::2], strict=True))


def through(x, blocks):
    """The blocks in the plain way: every activation is stored."""
    y1, y2 = x.chunk(2, 1)
    for f, g in blocks:
        y1 = y1 + f(y2)
        y2 = y2 + g(y1)
    return mg.cat([y1, y2], 1)


def undo_half(f, u, y, du, dy):
    """Undo `y = x + f(u)`: x, and `du` with what came to u through f."""
    u = u.detach().requires_grad_()
    with mg.enable_grad():
        v = f(u)
    v.backward(dy)
    return y - v.detach(), du + u.grad


def walk(ctx, y, dy):
    """The gradient of the chain's input, from the last block back."""
    (y1, y2), (dy1, dy2) = y.chunk(2, 1), dy.chunk(2, 1)
    for f, g in reversed(ctx.blocks):
        y2, dy1 = ctx.undo(g, y1, y2, dy1, dy2)
        y1, dy2 = ctx.undo(f, y2, y1, dy2, dy1)
    return mg.cat([dy1, dy2], 1)


class Chain(mg.autograd.Function):
    """The chain as one node, which saves its output; `undo` takes one addition back."""

    @staticmethod
    def forward(ctx, x, blocks, undo):
        ctx.blocks, ctx.undo = blocks, undo
        y = through(x, blocks)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return walk(ctx, y, dy), None, None


def reversible(x, blocks, undo=undo_half):
    """The blocks as one node, the activations rebuilt in backward."""
    return Chain.apply(x, blocks, undo)


def train(way, blocks, data=None):
    """One training step of `way(x, blocks)`: (highest point of memory, all gradients).

    x is `data`, or `batch()`. The highest point is in bytes, above the data; the gradients are that
    of x and of each weight.
    """
    weights = [w for pair in blocks for half in pair for w in half.parameters()]
    for w in weights:
        w.grad = mg.zeros_like(w)
    leaf = (batch() if data is None else data).clone().requires_grad_()
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    way(leaf, blocks).sum().backward()
    return mg.max_memory_allocated() - start, [leaf.grad, *[w.grad for w in weights]]


@mg.no_grad()
def drift(blocks, x):
    """(expected, measured) relative error of x, rebuilt from the chain's output in float32.

    Expected is eps times the square of the growth, of |y| / |x|.
    """
    y = through(x, blocks)
    y1, y2 = y.chunk(2, 1)
    for f, g in reversed(blocks):
        y2 = y2 - g(y1)
        y1 = y1 - f(y2)
    growth = _length(y) / _length(x)
    return EPS * growth**2, wrongness([mg.cat([y1, y2], 1)], [x])


def _length(tensor):
    return tensor.square().sum().sqrt().item()
