"""What one training step costs in bytes and products, and whether two ways train alike.

Works on whichever engine goes by the name of minigrad: in a twin cell that may be PyTorch.
"""

from typing import NamedTuple

import minigrad as mg
from course.pictures import wrongness

ROUNDING = 3e-6  # of float32 sums in another order; a small penalty left out is 1e-5 or more


class Price(NamedTuple):
    """Bytes above those before the step, and products of matrices, backward's too."""

    held: int  # when forward is done
    highest: int
    products: int


def price(forward, *arguments):
    """What `loss = forward(*arguments)` and `loss.backward()` cost."""
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    with mg.memory.count_ops() as counted:
        loss = forward(*arguments)
        held = mg.memory_allocated() - before
        loss.backward()
    return Price(held, mg.max_memory_allocated() - before, counted.matmuls)


def same_gradients(weights, way, other):
    """Whether two steps leave the same `.grad`, up to rounding.

    Each weight must have a `.grad`, which is zeroed before either step.
    """
    left, right = gradients(weights, way), gradients(weights, other)
    return wrongness(left, right) < ROUNDING


def gradients(weights, way):
    """Copies of what `way()` leaves in the weights' `.grad`."""
    for weight in weights:
        weight.grad.zero_()
    way()
    return [weight.grad.clone() for weight in weights]
