"""The second derivative of prelu: PyTorch's backward of it is one operation of three tensors."""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op
from minigrad.ops.activations import PreluKernelBackward0


class PreluKernelBackwardBackward0(Op):
    """A gradient of prelu, recorded: that for its input, or that for its weight.

    It goes through the sign of the input, which has the slope 0: zeros, and not nothing.
    """

    inputs = ("grad_output", "self", "weight")
    stretched = ("weight",)
    saves = dict.fromkeys(inputs, " ".join(inputs))
    argument_names = ("",)  # is it that for the weight?

    @staticmethod
    def forward(grad, x, weight, for_weight):
        return np.where(x > 0, 0, grad * x) if for_weight else np.where(x > 0, grad, grad * weight)

    def backward(node, grad, grad_output, x, weight):  # here PyTorch counts 0 as positive
        if node.arguments[0]:
            slopes = grad * x, grad * grad_output
            return *(np.where(x >= 0, 0, slope) for slope in slopes), grad * 0
        for_weight = np.where(x >= 0, 0, grad * grad_output)
        return np.where(x >= 0, grad, grad * weight), grad * 0, for_weight


def recorded(node, grad, x, weight):
    """Both gradients, or the one that is wanted."""
    wanted = zip(node.needs_input_grad, (False, True), strict=True)
    rule = PreluKernelBackwardBackward0
    return tuple([rule.call(grad, x, weight, which) if yes else None for yes, which in wanted])


PreluKernelBackward0.recorded = recorded
