"""The second derivative of group_norm, as PyTorch composes it.

The gradient is a formula of tensors, among them the mean and 1 / deviation that the node has saved:
these are outputs of its own. So a second backward comes through the node once more, and brings for
them the gradients of a mean and of a variance.
"""

from __future__ import annotations

from math import inf

from minigrad.core.saved import unpack_all
from minigrad.ops.arithmetic import DivBackward1, MulBackward1
from minigrad.ops.norm import NativeGroupNormBackward0
from minigrad.ops.shape import UnsqueezeBackward0
from minigrad.ops.shapes import axis


class UnsqueezeBackward1(UnsqueezeBackward0):
    """An axis of one element, in place."""


def summed(x, dim: int):
    """The sum along an axis, with an axis of one element in the place that `dim` has at the end."""
    total = x.sum(dim)
    return UnsqueezeBackward1.call(total, axis(total, dim - 4, extra=1))


def group_norm_recorded(node, grads: list, asked=None) -> list:
    """The gradients of input, weight and bias, of what came for the result and the statistics."""
    for_x, for_weight, for_bias = node.needs_input_grad if asked is None else asked
    x, mean, scale, weight = unpack_all(node)
    count, many, places, groups, _ = node.arguments
    rows, share = x.reshape(count, groups, many // groups, places), (1, groups, many // groups, 1)
    mean, scale = mean.reshape(count, groups, 1, 1), scale.reshape(count, groups, 1, 1)
    found: list = [None, None, None]
    grad, for_mean, for_scale = grads
    if grad is not None:
        grad = grad.reshape(rows.shape)
        products, sums = summed(grad * rows, 3), summed(grad, 3)
        if for_x:
            each = None if weight is None else weight.reshape(share)
            found[0] = of_rows(grad, rows, mean, scale, each, products, sums)
        if for_weight:
            found[1] = ((products - sums * mean) * scale).sum(0).reshape(many)
        if for_bias:  # in the shape of the weight, without which PyTorch fails
            found[2] = sums.sum(0).reshape(0 if weight is None else many)
    if for_x and for_mean is not None and for_scale is not None:
        far = of_statistics(for_mean, for_scale, rows, scale)
        found[0] = far if found[0] is None else found[0] + far
    found[0] = None if found[0] is None else found[0].reshape(x.shape)
    return found


def of_rows(grad, rows, mean, scale, weight, products, sums):
    """The gradient of the input, of what came for the result."""
    times = 1 / (rows.shape[2] * rows.shape[3]) if rows.numel() else inf
    a = scale if weight is None else scale * weight
    b, c = (summed(one if weight is None else one * weight, 2) for one in (products, sums))
    b = MulBackward1.call((c * mean - b) * (scale * scale * scale), times)
    c = -b * mean - MulBackward1.call(c * scale, times)
    return a * grad + b * rows + c


def of_statistics(for_mean, for_scale, rows, scale):
    """The gradient of the input, of what came for the mean and 1 / deviation."""
    shape, count = scale.shape, rows.shape[2] * rows.shape[3]
    for_var = MulBackward1.call(scale * scale * scale, -0.5) * for_scale.view(shape)
    slope = MulBackward1.call(for_var, 2 / count) * (rows - rows.mean((2, 3), keepdim=True))
    return slope + DivBackward1.call(for_mean.view(shape).expand(rows.shape), count)


NativeGroupNormBackward0.through_statistics = group_norm_recorded
