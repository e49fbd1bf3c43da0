"""Two nets for the same digits, with as many weights: one stores its activations, one does not.

Both are a stem (64 numbers to 32), L blocks and a head (32 to 10). A block of the standard net is
x + F(x) on all 32 numbers; one of the reversible net has F and G on 16 numbers each.
"""

from __future__ import annotations

import numpy as np

import minigrad as mg
from minigrad import nn
from minigrad.nn.functional import cross_entropy
from minigrad.reversible import ReversibleBlock, ReversibleSequential
from minigrad.utils.checkpoint import checkpoint

WIDTH = 32
BATCH = 479  # 1437 images are three of these


def branch(width):
    """F and G: relu(u @ W1 + b1) @ W2 + b2; W2 begins small, so that a deep chain begins calm."""
    f = nn.Sequential(nn.Linear(width, WIDTH), nn.ReLU(), nn.Linear(WIDTH, width))
    with mg.no_grad():
        f[2].weight.copy_(mg.randn(width, WIDTH) * 0.05)
    return f


class Residual(nn.Module):
    def __init__(self, F):
        self.F = F

    def forward(self, x):
        return x + self.F(x)


def standard(depth):
    blocks = [Residual(branch(WIDTH)) for _ in range(depth)]
    stem, head = nn.Linear(64, WIDTH), nn.Linear(WIDTH, 10)
    return nn.Sequential(stem, *blocks, head)


def reversible(depth, **options):
    half = WIDTH // 2
    pairs = [(branch(half), branch(half)) for _ in range(depth)]
    blocks = [ReversibleBlock(f, g) for f, g in pairs]
    chain = ReversibleSequential(*blocks, **options)
    return nn.Sequential(nn.Linear(64, WIDTH), chain, nn.Linear(WIDTH, 10))


class Checkpointed(nn.Module):
    """The standard twin in segments of `every` blocks: each keeps its input, and runs again."""

    def __init__(self, net, every):
        stem, *blocks, head = net
        starts = range(0, len(blocks), every)
        segments = [nn.Sequential(*blocks[i : i + every]) for i in starts]
        self.stem, self.segments, self.head = stem, nn.Sequential(*segments), head

    def forward(self, x):
        h = self.stem(x)
        for segment in self.segments:
            h = checkpoint(segment, h, use_reentrant=False)
        return self.head(h)


def stored(net, x):
    """What a reversible net computes, block by block: as any other net, it stores the way."""
    stem, chain, head = net
    x1, x2 = stem(x).chunk(2, -1)
    for block in chain:
        x1, x2 = block(x1, x2)
    return head(mg.cat([x1, x2], -1))


def batches(data, epochs):
    """(images, labels), all of them once per epoch, in an order that is the same each time."""
    random = np.random.default_rng(0)
    for _ in range(epochs):
        for rows in random.permutation(len(data.train_labels)).reshape(-1, BATCH):
            yield mg.tensor(data.train_images[rows]), mg.tensor(data.train_labels[rows])


def train(net, given, steps, lr=2e-3, forward=None):
    """The losses of AdamW over the batches; the learning rate falls to 0 in a straight line."""
    optimizer = mg.optim.AdamW(net.parameters(), lr=lr, weight_decay=0.01)
    losses = []
    for i, (images, labels) in enumerate(given):
        optimizer.param_groups[0]["lr"] = lr * (1 - i / steps)
        optimizer.zero_grad()
        scores = net(images) if forward is None else forward(net, images)
        loss = cross_entropy(scores, labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def right(net, data):
    """The share of the test images whose digit gets the highest score, in percent."""
    with mg.no_grad():
        found = net(mg.tensor(data.test_images)).argmax(1)
    return 100 * (found == mg.tensor(data.test_labels)).double().mean().item()
