"""The second derivative of pooling: a gradient's gradient is pooled, at the same places."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.op import Op
from minigrad.ops.pooling import (
    AdaptiveAvgPool2DBackward0,
    AvgPool2DBackward0,
    MaxPool2DWithIndicesBackward0,
)
from minigrad.second.rules import backward_of


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


class _OfMean(Op):
    """A gradient spread over what each mean was taken of, recorded: its own takes means again."""

    inputs = ("grad_output", "self")
    first: Any

    def backward(node, grad):
        return node.first.forward(grad, *node.arguments), np.zeros_like(grad)

    def recorded(node, grad):
        return node.first.call(grad, *node.arguments), grad._zeros()


class AvgPool2DBackwardBackward0(_OfMean):
    """Over its windows."""

    first = AvgPool2DBackward0
    argument_names, forward = first.argument_names, backward_of(first)


class AdaptiveAvgPool2DBackwardBackward0(_OfMean):
    """Over the parts of its image."""

    first = AdaptiveAvgPool2DBackward0
    argument_names, forward = first.argument_names, backward_of(first)


def max_pool(node, grad, indices, x):
    return MaxPool2DWithIndicesBackwardBackward0.call(grad, x, indices, *node.arguments)


MaxPool2DWithIndicesBackward0.recorded = max_pool
for rule in (AvgPool2DBackwardBackward0, AdaptiveAvgPool2DBackwardBackward0):
    rule.first.recorded = lambda node, grad, x, op=rule: op.call(grad, x, *node.arguments)
