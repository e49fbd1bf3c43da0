"""PyTorch records the backward of cdist, and refuses then to differentiate it."""

from __future__ import annotations

from minigrad.core.op import Op
from minigrad.ops.distances import CdistBackward0

NONE = "the derivative for '_cdist_backward' is not implemented."


class CdistBackwardBackward0(Op):
    """The gradient of cdist for its first matrix, recorded; for the second they change places."""

    inputs = ("grad_output", "x1", "x2", "cdist")

    @staticmethod
    def forward(grad, x, y, result):
        node = CdistBackward0()
        node.next_functions = (node, 0), (None, 0)
        return node.backward(grad, result, x, y)[0]

    def apply(node, grads, asked=None):
        raise NotImplementedError(NONE)


def recorded(node, grad, result, x, y):
    """Both gradients, or the one that is wanted."""
    for_x, for_y = node.needs_input_grad
    rule = CdistBackwardBackward0.call
    turned = [t.mT.contiguous() for t in (grad, result)] if for_y else []
    return (
        rule(grad, x, y, result) if for_x else None,
        rule(turned[0], y, x, turned[1]) if for_y else None,
    )


CdistBackward0.recorded = recorded
