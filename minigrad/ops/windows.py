"""unfold: windows along an axis, as a view in which they may overlap."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import strided
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.shape import View
from minigrad.ops.shapes import axis, whole


def windows_of(x, dim, size, step):
    """The array's windows along an axis, each as the last axis: a view."""
    if not x.ndim:
        return strided(x, (size,), (x.itemsize,))
    count = (x.shape[dim] - size) // step + 1
    shape = *x.shape[:dim], count, *x.shape[dim + 1 :], size
    steps = *x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :], x.strides[dim]
    return strided(x, shape, steps)


class UnfoldBackward0(View):
    """unfold() is a view: each element's gradient is the sum over the windows that it is in."""

    sized = True
    argument_names = ("dimension", "size", "step")

    forward = windows_of

    def backward(node, grad):
        dim, size, step = node.arguments
        result = np.zeros_like(grad, order="C", shape=node.sizes)
        windows = windows_of(result, dim % max(result.ndim, 1), size, step)
        for place in range(size):  # one of each window: none of them is met twice
            windows[..., place] += grad[..., place]
        return result


@attach
class Unfolded(Tensor):
    """Methods of Tensor."""

    def unfold(x, dimension, size, step):
        """Windows of so many elements along an axis, a step apart, as one more axis at the end."""
        dim = axis(x, dimension, name="dimension")
        size, step, most = whole(size, "size"), whole(step, "step"), x.shape[dim] if x.ndim else 1
        if size < 0:
            raise RuntimeError(f"size is {size} but must be >= 0")
        if size > most:
            raise RuntimeError(
                f"maximum size for tensor at dimension {dim} is {most} but size is {size}"
            )
        if step <= 0:
            raise RuntimeError(f"step is {step} but must be > 0")
        return UnfoldBackward0.call(x, dim, size, step)
