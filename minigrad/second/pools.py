"""The second derivative of pooling: a gradient's gradient is pooled, at the same places."""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op
from minigrad.ops.pooling import (
    AdaptiveAvgPool2DBackward0,
    AvgPool2DBackward0,
    MaxPool2DWithIndicesBackward0,
)


class MaxPool2DWithIndicesBackwardBackward0(Op):
    """A gradient laid where the largest numbers stand, recorded; where that is, is fixed."""

    inputs = ("grad_output", "self")
    extras = ("indices",)
    saves = {"indices": "grad_output self"}
    argument_names = MaxPool2DWithIndicesBackward0.argument_names

    @staticmethod
    def forward(grad, x, indices, *arguments):
        return MaxPool2DWithIndicesBackward0().backward(grad, indices, x)

    def backward(node, grad, indices):
        zeros = np.zeros_like(grad)
        if not node.needs_input_grad[0]:
            return None, zeros
        return MaxPool2DWithIndicesBackward0.forward(grad, indices), zeros


def zeros(x):
    return x._new(np.zeros_like(x._array))


def spread(grad, x, first, *arguments):
    """What that rule's backward computes."""
    node = first()
    node.arguments = arguments
    return node.backward(grad, x)


class AvgPool2DBackwardBackward0(Op):
    """A gradient spread over its windows, recorded."""

    inputs = ("grad_output", "self")
    argument_names = AvgPool2DBackward0.argument_names

    @staticmethod
    def forward(grad, x, *arguments):
        return spread(grad, x, AvgPool2DBackward0, *arguments)

    def backward(node, grad):
        return AvgPool2DBackward0.forward(grad, *node.arguments), np.zeros_like(grad)

    def recorded(node, grad):
        return AvgPool2DBackward0.call(grad, *node.arguments), zeros(grad)


class AdaptiveAvgPool2DBackwardBackward0(Op):
    """A gradient spread over the parts of its image, recorded."""

    inputs = ("grad_output", "self")
    argument_names = AdaptiveAvgPool2DBackward0.argument_names

    @staticmethod
    def forward(grad, x, *arguments):
        return spread(grad, x, AdaptiveAvgPool2DBackward0, *arguments)

    def backward(node, grad):
        return AdaptiveAvgPool2DBackward0.forward(grad, *node.arguments), np.zeros_like(grad)

    def recorded(node, grad):
        return AdaptiveAvgPool2DBackward0.call(grad, *node.arguments), zeros(grad)


def max_pool(node, grad, indices, x):
    return MaxPool2DWithIndicesBackwardBackward0.call(grad, x, indices, *node.arguments)


MaxPool2DWithIndicesBackward0.recorded = max_pool
for first, second in {
    AvgPool2DBackward0: AvgPool2DBackwardBackward0,
    AdaptiveAvgPool2DBackward0: AdaptiveAvgPool2DBackwardBackward0,
}.items():
    first.recorded = lambda node, grad, x, op=second: op.call(grad, x, *node.arguments)
