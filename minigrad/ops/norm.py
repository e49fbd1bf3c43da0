"""Normalization: subtract a mean, divide by a deviation; both depend on the input.

So a change of one element moves all that share its mean, and the gradient has two more terms.
"""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import added
from minigrad.core.op import Op
from minigrad.ops.means import mean_of


def slope(grad, hat, scale, axes):
    """The gradient of (x - mean) * scale = hat, if mean and scale were computed over `axes`."""
    through_mean = mean_of(grad, axes, keepdims=True)
    return scale * (grad - through_mean - hat * mean_of(grad * hat, axes, keepdims=True))


def centered(x, mean):
    """x - mean, its elements in order also where those of `x` are not."""
    return np.subtract(x, mean, out=np.empty_like(x, order="C"))


def affine(hat, weight, bias):
    """hat * weight + bias, of which either may be missing."""
    hat = hat if weight is None else hat * weight
    return hat if bias is None else hat + bias


def per_channel(x, vector):
    """A vector over axis 1, in a shape that broadcasts against `x`."""
    return None if vector is None else vector.reshape(1, -1, *(1,) * (x.ndim - 2))


def gradients(wanted, grad, hat, scale, weight, over, alone) -> tuple:
    """Of input, weight and bias, those that are wanted.

    `over`: the axes that mean and scale are taken over; `alone`: those that a weight repeats.
    """
    inner = grad if weight is None else grad * weight
    for_x, for_weight, for_bias = wanted
    return (
        (slope(inner, hat, scale, over) if over else inner * scale) if for_x else None,
        added(grad * hat, alone) if for_weight else None,
        added(grad, alone) if for_bias else None,
    )


class _Norm(Op):
    """Results: the normalized input; mean (result1) and 1 / deviation (result2), if computed."""

    inputs = ("input", "weight", "bias")


class NativeLayerNormBackward0(_Norm):
    """layer_norm saves its input, its parameters, and two numbers per row."""

    extras = ("result1", "result2")
    saves = dict.fromkeys(("bias", "input", "result1", "result2", "weight"), "input weight bias")
    argument_names = ("normalized_shape",)

    @staticmethod
    def forward(x, weight, bias, mean, scale, shape):
        return affine(centered(x, mean) * scale, weight, bias)

    def backward(node, grad, bias, x, mean, scale, weight):
        first = x.ndim - len(node.arguments[0])
        over, alone = tuple(range(first, x.ndim)), tuple(range(first))
        return gradients(
            node.needs_input_grad, grad, (x - mean) * scale, scale, weight, over, alone
        )


class NativeBatchNormBackward0(_Norm):
    """batch_norm saves its input, its parameters, and two numbers per channel."""

    extras = ("running_mean", "running_var", "result1", "result2")
    saves = dict.fromkeys(("input", *extras, "weight"), "input weight bias")
    argument_names = ("training", "eps")

    @staticmethod
    def forward(x, weight, bias, *statistics):
        hat, _ = standardized(x, *statistics)
        return affine(hat, per_channel(x, weight), per_channel(x, bias))

    def backward(node, grad, x, running_mean, running_var, mean, scale, weight):
        hat, scale = standardized(x, running_mean, running_var, mean, scale, *node.arguments)
        alone = (0, *range(2, x.ndim))
        over = alone if node.arguments[0] else ()
        return gradients(
            node.needs_input_grad, grad, hat, scale, per_channel(x, weight), over, alone
        )


def standardized(x, running_mean, running_var, mean, scale, training, eps):
    """`x` by the batch's own statistics in training, by the running ones else; and the scale."""
    if not training:
        mean, scale = running_mean, 1 / (running_var + eps) ** 0.5
    scale = per_channel(x, scale)
    return centered(x, per_channel(x, mean)) * scale, scale
