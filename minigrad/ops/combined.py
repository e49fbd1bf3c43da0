"""What PyTorch composes of other operations, and so is in no node of its own."""

from __future__ import annotations

from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops.creation import sizes


def tile(x, dims):
    """`x` so many times along its last axes; more numbers than axes make new ones in front."""
    expected(dims, (tuple, list), "dims", "tuple of ints")
    return x.tile(dims)


def fliplr(x):
    """The elements of each row from last to first."""
    if x.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return x.flip(1)


def flipud(x):
    """The rows from last to first."""
    if x.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return x.flip(0)


@attach
class Combined(Tensor):
    """Methods of Tensor."""

    fliplr, flipud = fliplr, flipud

    def tile(x, *dims):
        """`x` so many times along its last axes; more numbers than axes make new ones in front."""
        dims = sizes(dims, "dims")
        return x.repeat((1,) * (x.ndim - len(dims)) + dims)
