"""Lesson 15: whether one training step fits on a GPU of so many bytes."""

import minigrad as mg
from minigrad.nn.functional import cross_entropy


def step_fits(net, images, labels, size):
    """Whether forward and backward of one step run in `size` bytes.

    Weights and their `.grad` do not count; everything else does, the batch too.
    """
    net.zero_grad()
    try:
        with mg.memory.budget(size):
            cross_entropy(net(images), labels).backward()
    except mg.memory.OutOfMemoryError:
        return False
    return True
