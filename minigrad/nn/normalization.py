"""Normalization as functions: of rows, of channels, of groups of channels, of single images."""

from __future__ import annotations

import numbers

import numpy as np

from minigrad.core import observer, words
from minigrad.core.dtypes import float16, float32, float64
from minigrad.core.modes import state
from minigrad.nn import checks, init
from minigrad.nn.module import Module, Parameter, vacant
from minigrad.ops.arithmetic import AddBackward1, like
from minigrad.ops.elementwise import wide
from minigrad.ops.inplace import write_over
from minigrad.ops.layout import channels_last
from minigrad.ops.limits import finfo
from minigrad.ops.means import mean_of, variance_of
from minigrad.ops.norm import (
    NativeBatchNormBackward0,
    NativeGroupNormBackward0,
    NativeLayerNormBackward0,
)
from minigrad.ops.numbers import a_float
from minigrad.ops.shapes import all_whole, whole


def layer_norm(x, normalized_shape, weight=None, bias=None, eps: float = 1e-5):
    """Each row (the axes of `normalized_shape`) with mean 0 and variance 1, then the parameters."""
    words.expected(normalized_shape, (tuple, list), "normalized_shape", "tuple of ints")
    shape, eps = all_whole(normalized_shape, "normalized_shape"), a_float(eps, "eps", 5)
    checks.rows(x, shape, weight, bias)
    statistics = _statistics(x, x._array, tuple(range(x.ndim - len(shape), x.ndim)), eps)
    return NativeLayerNormBackward0.call(x, weight, bias, *statistics, shape)


def _statistics(x, rows, axes, eps, keepdims=True) -> list:
    """Mean and 1 / deviation of what stands along these axes, in the dtype of `x`."""
    rows = wide(rows)
    mean, var = mean_of(rows, axes, keepdims), variance_of(rows, axes, keepdims)
    return [x._new(like(each, x._array)) for each in (mean, 1 / (var + eps) ** 0.5)]


def rms_norm(x, normalized_shape, weight=None, eps=None):
    """Each row (the axes of `normalized_shape`) with a mean square of 1, times the weight."""
    words.expected(normalized_shape, (tuple, list), "normalized_shape", "tuple of ints")
    shape = all_whole(normalized_shape, "normalized_shape")
    checks.squares(x, shape, weight)
    least = finfo(float64 if x.dtype is float64 else float32).eps
    eps = least if eps is None else a_float(eps, "eps", 4)
    wider = x.to(float32) if x.dtype is float16 else x
    square = wider.pow(2)
    mean = square.mean(tuple(range(x.ndim - 1, x.ndim - 1 - len(shape), -1)), keepdim=True)
    scale = write_over(AddBackward1, mean, arguments=(eps,)).rsqrt()
    del square, mean
    out = wider * scale
    if weight is not None:
        out = out * weight
    out = out if channels_last(x._array) else out.contiguous()
    return out.type_as(x)


def group_norm(x, num_groups: int, weight=None, bias=None, eps: float = 1e-5):
    """Each group of neighbouring channels (axis 1) of each element with mean 0 and variance 1."""
    checks.groups(x, num_groups, weight, bias)
    groups, eps = whole(num_groups, "num_groups"), a_float(eps, "eps", 5)
    x = x if channels_last(x._array) else x.contiguous()
    weight, bias = (None if t is None else t.contiguous() for t in (weight, bias))
    checks.group_dtypes(x, weight, bias)
    count, many, *_ = x.shape
    sizes = count, many, int(np.prod(x.shape[2:])), groups
    rows = x._array.reshape(count, groups, -1 if x._array.size else 0)
    statistics = _statistics(x, rows, (2,), eps, keepdims=False)
    return NativeGroupNormBackward0.call(x, weight, bias, *statistics, *sizes, eps)


def batch_norm(
    x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    """Each channel (axis 1) with mean 0 and variance 1: the batch's own in training, else those
    of the running statistics, which training moves towards the batch's by `momentum`."""
    own = {"running_mean": running_mean, "running_var": running_var}
    momentum, eps = a_float(momentum, "momentum", 7), a_float(eps, "eps", 8)
    checks.channels(x, training, **own, weight=weight, bias=bias)
    if not x._array.size:
        return _of_nothing(x, weight, bias)
    checks.no_gradient("native_batch_norm", **own)
    mean = var = np.empty_like(x._array, shape=(0,))
    if training:
        axes = (0, *range(2, x.ndim))
        rows = wide(x._array)
        mean, var = mean_of(rows, axes), variance_of(rows, axes)
    scale = 1 / (var + eps) ** 0.5
    batchs = [x._new(like(each, x._array)) for each in (mean, scale)]
    statistics = running_mean, running_var, *batchs
    out = NativeBatchNormBackward0.call(x, weight, bias, *statistics, training, eps)
    if training and running_mean is not None and not state.recomputing:
        n = x._array.size // mean.size
        _move((running_mean, mean), (running_var, var * (n / (n - 1))), momentum=momentum)
    return out


def _move(*pairs, momentum) -> None:
    """Running statistics towards a batch's; behind autograd's back, as PyTorch does it: the version
    stays, so that a second use in one graph is no error.
    """
    moving = [running for running, _ in pairs]
    observer.tell_moving(moving)
    for running, of_batch in pairs:
        running._array[...] += momentum * (of_batch - running._array)
    observer.tell_moved(moving)


def _of_nothing(x, weight, bias):
    """An empty batch has no statistics, but its parameters are part of the graph."""
    out = x.clone() if weight is None else x.clone() * weight.select(0, 0)
    return out if bias is None else out + bias.select(0, 0)


def instance_norm(
    x, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
    momentum=0.1, eps=1e-5,
):  # fmt: skip
    """Each channel of each element with mean 0 and variance 1: batch_norm of one batch with as many
    channels as all of them have."""
    words.expected(use_input_stats, bool, "use_input_stats", "bool")
    momentum, eps = a_float(momentum, "momentum", 7), a_float(eps, "eps", 8)
    checks.instances(x, running_mean, running_var, use_input_stats)
    count, many = x.size(0), x.size(1)
    statistics, dtype = (running_mean, running_var), (x if weight is None else weight).dtype
    cast = [None if t is None else t.to(dtype) for t in statistics]
    given: list = [None if t is None else t.repeat(count) for t in (*cast, weight, bias)]
    mean, var, weight, bias = given
    rows = x.contiguous().view(1, count * many, *x.shape[2:])
    out = batch_norm(rows, mean, var, weight, bias, use_input_stats, momentum, eps)
    if use_input_stats and not state.recomputing:
        for old, new in zip(statistics, (mean, var), strict=True):
            if old is not None:
                old[...].copy_(new.view(count, many).mean(0))
    return out.view(x.shape)


class RMSNorm(Module):
    """Each row (its last axes) with a mean square of 1, times weight."""

    weight: Parameter | None

    def __init__(
        self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None
    ):
        one = isinstance(normalized_shape, numbers.Integral)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        weight = self.normalized_shape if elementwise_affine else None
        vacant(self, {"weight": weight}, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x):
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        eps = f"eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{self.normalized_shape}, {eps}"
