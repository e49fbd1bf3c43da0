"""What is recorded where the backward of a diagonal runs."""

from __future__ import annotations

from minigrad.core.op import Op
from minigrad.ops.diagonals import (
    DiagEmbedBackward0,
    DiagonalBackward0,
    DiagonalBackward0_copy,
    TraceBackward0,
    diagonal_of,
)
from minigrad.second.rules import backward_of


class DiagonalBackwardBackward0(Op):
    """A gradient put into the diagonal of zeros, recorded."""

    inputs = ("grad_output",)
    argument_names = ("", "offset", "dim1", "dim2")
    forward = backward_of(DiagonalBackward0)

    def backward(node, grad):
        return diagonal_of(grad, *node.arguments[1:])

    def recorded(node, grad):
        return DiagonalBackward0.call(grad, *node.arguments[1:])


def _put(node, grad):
    return DiagonalBackwardBackward0.call(grad, node.sizes, *node.arguments)


def _of_trace(node, grad):
    sizes = node.sizes
    return DiagonalBackwardBackward0.call(grad.expand(min(sizes)), sizes, 0, 0, 1)


DiagonalBackward0.recorded = DiagonalBackward0_copy.recorded = _put
DiagEmbedBackward0.recorded = lambda node, grad: DiagonalBackward0.call(grad, *node.arguments)
TraceBackward0.recorded = _of_trace
