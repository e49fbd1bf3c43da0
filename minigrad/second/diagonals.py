"""What is recorded where the backward of a diagonal runs, or of windows."""

from __future__ import annotations

from minigrad.ops.diagonals import (
    DiagEmbedBackward0,
    DiagonalBackward0,
    DiagonalBackward0_copy,
    TraceBackward0,
)
from minigrad.ops.windows import UnfoldBackward0
from minigrad.second.rules import OfLinear


class DiagonalBackwardBackward0(OfLinear):
    """A gradient put into the diagonal of zeros, recorded."""

    first = DiagonalBackward0


class UnfoldBackwardBackward0(OfLinear):
    """A gradient added up over windows, recorded."""

    first = UnfoldBackward0


def _of_trace(node, grad):
    sizes = node.sizes
    return DiagonalBackwardBackward0.call(grad.expand(min(sizes)), sizes, 0, 0, 1)


DiagonalBackward0_copy.recorded = DiagonalBackward0.recorded
DiagEmbedBackward0.recorded = lambda node, grad: DiagonalBackward0.call(grad, *node.arguments)
TraceBackward0.recorded = _of_trace
