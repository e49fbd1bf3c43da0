"""Residual blocks and nets of them, which lessons 10 and 11 checkpoint and measure.

A block is h + act(h @ w) @ v. Their numbers are the same on every machine and engine, of both
signs; every `.grad` is there beforehand, so that what a step adds is activations.
"""

import minigrad as mg
from course.bytes_along import watch


def weight(rows, columns):
    """A weight with numbers of both signs, and its `.grad`."""
    w = (mg.arange(float(rows * columns)).view(rows, columns) ** 2).sin() * 0.1
    w.requires_grad_()
    w.grad = mg.zeros(rows, columns)
    return w


def tanh(u):
    return u.tanh()


def relu(u):
    return u.relu()


class Block:
    """h + act(h @ w) @ v, with a layer of width `hidden` in the middle."""

    def __init__(self, number, width, hidden, act):
        self.number, self.act = number, act
        self.w, self.v = weight(width, hidden), weight(hidden, width)

    def __call__(self, h):
        return h + self.act(h @ self.w) @ self.v


def residual_blocks(count, width=8, hidden=8, act=tanh):
    """So many blocks, numbered from 1."""
    return [Block(number, width, hidden, act) for number in range(1, count + 1)]


def segment(blocks):
    """These blocks one after the other, as a function of one tensor."""

    def run(h):
        for block in blocks:
            h = block(h)
            watch(block.number, h)
        return h

    return run


def net(blocks, every=None, wrap=None):
    """All blocks as one function; each `every` run as wrap(segment, h)."""
    if every is None:
        return segment(blocks)

    def run(h):
        for first in range(0, len(blocks), every):
            h = wrap(segment(blocks[first : first + every]), h)
        return h

    return run
