"""Second derivatives of binary_cross_entropy, whose slope in a probability is one operation.

Its slope in a target is a logit, whose own is a few.
"""

from __future__ import annotations

import math

import numpy as np

from minigrad.ops import functions as F
from minigrad.ops.arithmetic import DivBackward1
from minigrad.ops.criteria import NO_DIVISION, BinaryCrossEntropyBackward0, _Criterion
from minigrad.ops.logarithms import LogitBackward0


class BinaryCrossEntropyBackwardBackward0(_Criterion):
    """The gradient of the probabilities, recorded: its own keeps away from 0 in its own way."""

    inputs: tuple = ("grad_output", "self", "target")
    stretched: tuple = ()
    extras = ("weight",)
    saves = dict.fromkeys((*inputs, "weight"), "grad_output self target")
    argument_names = ("reduction",)

    @staticmethod
    def forward(grad, x, target, weight, *arguments):
        node = BinaryCrossEntropyBackward0()
        node.arguments, node.next_functions = arguments, ((node, 0), (None, 0))
        return node.backward(grad, x, target, weight)[0]

    def backward(node, grad, grad_output, x, target, weight):
        grad = node.weighted(grad, weight, x)
        spread = (x + NO_DIVISION) * (1 - x + NO_DIVISION)
        for_grad, twice = grad * (x - target) / spread, grad * grad_output
        return (
            for_grad.sum() if node.arguments[0] else for_grad,
            twice * (x * x - 2 * x * target + target) / (spread * spread),
            -twice / np.maximum(x * (1 - x), NO_DIVISION),
        )


def recorded(node, grad, x, target, weight):
    """Both gradients, or the one that is wanted; that of the target is a few operations."""
    for_x, for_target = node.needs_input_grad
    slope, again = None, BinaryCrossEntropyBackwardBackward0.call
    if for_target:
        slope = -x.logit() * grad
        slope = slope if weight is None else slope * weight
        slope = DivBackward1.call(slope, x.numel()) if node.arguments[0] == 1 else slope
    return again(grad, x, target, weight, *node.arguments) if for_x else None, slope


def of_logit(node, grad, x):
    (eps,) = node.arguments
    low = eps or 0
    inside = (x >= low).logical_and(x <= 1 - low)
    return F.where(inside, grad / (x * F.sub(1, x)), math.nan if eps is None else 0)


BinaryCrossEntropyBackward0.recorded = recorded
LogitBackward0.recorded = of_logit
