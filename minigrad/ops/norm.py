"""Normalization: subtract a mean, divide by a deviation; both depend on the input.

So a change of one element moves all that share its mean, and the gradient has two more terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import added
from minigrad.core.op import Op
from minigrad.ops.halves import in_whole_floats
from minigrad.ops.layout import channels_last, not_in_order
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
    @in_whole_floats
    def forward(x, weight, bias, mean, scale, shape):
        return affine(centered(x, mean) * scale, weight, bias)

    @in_whole_floats
    def backward(node, grad, bias, x, mean, scale, weight):
        first = x.ndim - len(node.arguments[0])
        over, alone = tuple(range(first, x.ndim)), tuple(range(first))
        return gradients(
            node.needs_input_grad, grad, (x - mean) * scale, scale, weight, over, alone
        )


class NativeGroupNormBackward0(_Norm):
    """group_norm saves its input, its weight, and two numbers per group, which depend on the input:
    where a gradient is differentiated, they are two more outputs."""

    extras = ("result1", "result2")
    saves = dict.fromkeys(("input", *extras, "weight"), "input weight bias")
    argument_names = ("N", "C", "HxW", "group", "eps")
    _num_outputs = 3
    through_statistics: Any  # (node, grads): in second/, where alone such gradients come from

    @staticmethod
    @in_whole_floats
    def forward(x, weight, bias, mean, scale, *sizes):
        rows, weight, bias = in_groups(sizes, x, weight, bias)
        mean, scale = mean[..., None, None], scale[..., None, None]
        return laid_like(x, affine(centered(rows, mean) * scale, weight, bias))

    def apply(self, grads: list, asked=None) -> list:
        if any(grad is not None for grad in grads[1:]):
            return self.through_statistics(grads, asked)
        found = super().apply(grads, asked)
        if found[2] is not None and self._saved[3] is None:  # PyTorch lays it out as the weight is
            raise RuntimeError("tensor does not have a device")
        return found

    @in_whole_floats
    def backward(node, grad, x, mean, scale, weight):
        rows, weight = in_groups(node.arguments, x, weight)
        grad = grad.reshape(rows.shape)
        scale = scale[..., None, None]
        hat = (rows - mean[..., None, None]) * scale
        wanted, over, alone = node.needs_input_grad, (2, 3), (0, 3)
        for_x, *others = gradients(wanted, grad, hat, scale, weight, over, alone)
        others = [None if g is None else g.reshape(-1) for g in others]
        return (None if for_x is None else laid_like(x, for_x), *others)

    def peak(node, grad, x, mean, scale, weight):
        """What is not in order is copied, and the gradients are made beside the copies."""
        alike = channels_last(x)
        copies = sum(not_in_order(a) for a in (grad, x) if not (alike and channels_last(a)))
        for_x, *others = node.needs_input_grad
        vector = node.arguments[1] * x.itemsize
        return copies and copies + for_x * x.nbytes + sum(others) * vector

    def _output_number(self, index: int):
        return {"result1": 1, "result2": 2}.get([*self.saves][index])


def in_groups(sizes, x, *vectors) -> list:
    """The input as (element, group, channel of it, place), and vectors of channels beside it."""
    count, many, places, groups, *_ = sizes
    shape = groups, many // groups
    beside = [None if v is None else v.reshape(1, *shape, 1) for v in vectors]
    return [x.reshape(count, *shape, places), *beside]


def laid_like(x, rows):
    """`rows` in the shape of `x`, and in its order of the elements."""
    if x.flags.c_contiguous:
        return rows.reshape(x.shape)
    result = np.empty_like(x)
    result[...] = rows.reshape(x.shape)
    return result


class NativeBatchNormBackward0(_Norm):
    """batch_norm saves its input, its parameters, and two numbers per channel."""

    extras = ("running_mean", "running_var", "result1", "result2")
    saves = dict.fromkeys(("input", *extras, "weight"), "input weight bias")
    argument_names = ("training", "eps")

    @staticmethod
    @in_whole_floats
    def forward(x, weight, bias, *statistics):
        hat, _ = standardized(x, *statistics)
        return affine(hat, per_channel(x, weight), per_channel(x, bias))

    @in_whole_floats
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
