"""What PyTorch records where the backward of logcumsumexp runs: the steps of its own formula."""

from __future__ import annotations

import numpy as np

from minigrad.ops import functions as F
from minigrad.ops.cumulative import LogcumsumexpBackward0
from minigrad.ops.rearranged import FlipBackward0


def _logcumsumexp(node, grad, result, x):
    """What is positive of the gradient that came, and what is not, each by its logarithm."""
    if not (grad.ndim and grad.numel()):
        return grad
    (dim,) = node.arguments
    size, lowest = grad.abs().log(), float(np.finfo(grad._array.dtype).min)

    def flipped(logs):
        return FlipBackward0.call(logs, (dim,))

    def part(there):
        logs = F.where(there, size, lowest) - result
        return (flipped(LogcumsumexpBackward0.call(flipped(logs), dim)) + x).exp()

    return part(grad > 0) - part(grad < 0)


LogcumsumexpBackward0.recorded = _logcumsumexp
