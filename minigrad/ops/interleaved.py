"""repeat_interleave: each element several times, one after the other."""

from __future__ import annotations

import numpy as np

from minigrad.core.tensor import Tensor, attach
from minigrad.ops.shapes import axis


def repeat_interleave(x, repeats, dim=None):
    """Each element along `dim`, or of all in a row, so many times, or as many as a tensor says."""
    if dim is None:
        x, dim = x.flatten(), 0
    dim = axis(x, dim)
    if isinstance(repeats, Tensor):
        counts = np.broadcast_to(repeats._array, x.shape[dim : dim + 1])
        return x.index_select(dim, x._new(np.repeat(np.arange(x.shape[dim]), counts)))
    sizes = (*x.shape[: dim + 1], repeats, *x.shape[dim + 1 :])
    return x.unsqueeze(dim + 1).expand(*sizes).clone().flatten(dim, dim + 1)


@attach
class Interleaved(Tensor):
    """Methods of Tensor."""

    repeat_interleave = repeat_interleave
