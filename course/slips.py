"""Lesson 12: four ways to misuse a reversible chain, and how a training step with one ends.

Each slip takes a chain, a function of (x, blocks), and gives it back with the slip in it. Only what
minigrad and PyTorch share is used, since the lesson's cells run on both.
"""

import re

import minigrad as mg
from course.pictures import verdict, wrongness
from course.stored_twin import through, train


def written(chain):
    def way(x, blocks):
        y = chain(x, blocks)
        loss = y * 1.0
        y.detach().zero_()
        return loss

    return way


def moved(chain):
    def way(x, blocks):
        y = chain(x, blocks)
        with mg.no_grad():
            blocks[0][0].a.mul_(1.1)  # optimizer.step() before backward()
        return y

    return way


def raw(chain):
    head = mg.ones(32, requires_grad=True)  # a last layer: trained
    return lambda x, blocks: chain(x.detach(), blocks) * head


class InPlace(mg.nn.Module):
    def __init__(self, half):
        super().__init__()
        self.inner = half

    def forward(self, u):
        return self.inner(u.mul_(1.0))


def in_place(chain):
    return lambda x, blocks: chain(x, [(InPlace(f), g) for f, g in blocks])


def ending(way, make):
    """How one step of `way` ends on the blocks of `make()`: the error's class, or a verdict.

    The verdict is on the gradients of the weights, against those of the stored twin.
    """
    try:
        return passed(way, make)
    except (RuntimeError, TypeError) as error:
        return type(error).__name__


def said(way, make):
    """As `ending`, with the first words of the error in the place of its class.

    How large a relative error is differs from machine to machine, so it is marked `~measured`.
    """
    try:
        return passed(way, make)
    except RuntimeError as error:
        first = re.split(" by an|, so|: F or G", str(error))[0]
        return re.sub(r"relative error of (\S+)", r"relative error of ~\1 measured", first)


def passed(way, make):
    """ "passes, " and the verdict on the gradients of the weights."""
    right, got = train(through, make())[1], train(way, make())[1]
    return "passes, " + verdict(wrongness(got[1:], right[1:]))
