"""Layers as plain functions: they own no parameters."""

from __future__ import annotations

import math
import sys

import numpy as np

from minigrad.core import words
from minigrad.core.modes import state
from minigrad.nn import checks
from minigrad.nn.activations import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softsign,
    tanh,
    tanhshrink,
)
from minigrad.nn.attention_function import scaled_dot_product_attention
from minigrad.nn.convolutions import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from minigrad.nn.criteria import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from minigrad.nn.distances import cosine_similarity, pairwise_distance
from minigrad.nn.dropping import dropout
from minigrad.nn.embedding import embedding
from minigrad.nn.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from minigrad.nn.resizing import interpolate
from minigrad.ops.arithmetic import MulBackward1, like
from minigrad.ops.composed import one_hot
from minigrad.ops.elementwise import wide
from minigrad.ops.losses import NllLossBackward0
from minigrad.ops.matmul import linear
from minigrad.ops.means import mean_of, variance_of
from minigrad.ops.norm import NativeBatchNormBackward0, NativeLayerNormBackward0

__all__ = [
    "adaptive_avg_pool2d", "avg_pool2d", "batch_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d",
    "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding", "gelu", "hardtanh",
    "huber_loss", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_",
    "linear", "log_softmax", "logsigmoid", "max_pool2d", "mish", "mse_loss", "nll_loss",
    "normalize", "one_hot", "pairwise_distance", "prelu", "relu", "relu6",
    "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss", "softmax",
    "softmin", "softplus", "softsign", "tanh", "tanhshrink",
]  # fmt: skip


def leaky_relu_(x, negative_slope: float = 0.01):
    """leaky_relu, written over its input."""
    return leaky_relu(x, negative_slope, inplace=True)


def normalize(x, p: float = 2.0, dim=1, eps: float = 1e-12):
    """x divided by its norm along `dim`."""
    return x / x.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(x)


# -- losses --


def cross_entropy(
    x, target, weight=None, size_average=None, ignore_index: int = -100, reduce=None,
    reduction: str = "mean", label_smoothing: float = 0.0,
):  # fmt: skip
    """-log of the probability that the scores `x` (rows of classes) give to the `target` class."""
    reduction = checks.reduced_by(reduction, size_average, reduce)
    smoothing = label_smoothing > 0 and x.shape != target.shape
    if smoothing and label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    checks.no_probabilities(x, target)
    x = x.log_softmax(0 if x.ndim == 1 else 1)
    loss = nll_loss(x, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not smoothing:
        return loss
    return _smoothed(loss, x, target, weight, ignore_index, reduction, label_smoothing)


def _smoothed(loss, x, target, weight, ignored, reduction, share):
    """`share` of the loss is that which all classes would have, each as much as the others."""
    rows = x if weight is None else x * weight
    losses = -rows.sum(-1)  # of each row, the sum of those that its classes would have
    del rows  # here, as in PyTorch
    left_out = target == ignored
    losses.masked_fill_(left_out, 0.0)
    even = losses
    if reduction != "none":
        even = losses.sum() if reduction == "sum" else _mean(losses, ~left_out, target, weight)
    each = share / x.shape[-1] if x.shape[-1] else math.inf
    added = MulBackward1.call(even, each)
    return MulBackward1.call(loss, 1 - share) + added


def _mean(losses, counted, target, weight):
    """Over the rows that count, each by the weight of its class."""
    classes = target if weight is None else target[counted]
    counts = counted if weight is None else weight[classes]
    count = counts.sum()  # before the other sum, as PyTorch's compiler has it
    return losses.sum() / count


def nll_loss(
    x, target, weight=None, size_average=None, ignore_index: int = -100, reduce=None,
    reduction: str = "mean",
):  # fmt: skip
    """The same, of log-probabilities `x`."""
    number = checks.reduction(reduction, size_average, reduce)
    checks.classes(x, target, ignore_index, weight)
    counts = target._array != ignore_index
    if weight is not None:
        counts = weight._array[target._array * counts] * counts
    counted = counts.sum(dtype=x._array.dtype)
    total = x._new(counted if number else counted * 0)  # PyTorch counts only if it sums up
    return NllLossBackward0.call(x, target, weight, total, number, ignore_index)


# -- normalization --


def layer_norm(x, normalized_shape, weight=None, bias=None, eps: float = 1e-5):
    """Each row (the axes of `normalized_shape`) with mean 0 and variance 1, then the parameters."""
    shape = tuple(normalized_shape)
    checks.rows(x, shape, weight, bias)
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    rows = wide(x._array)
    mean = x._new(like(mean_of(rows, axes, keepdims=True), x._array))
    scale = x._new(like(1 / (variance_of(rows, axes, keepdims=True) + eps) ** 0.5, x._array))
    return NativeLayerNormBackward0.call(x, weight, bias, mean, scale, shape)


def batch_norm(
    x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    """Each channel (axis 1) with mean 0 and variance 1: the batch's own in training, else those
    of the running statistics, which training moves towards the batch's by `momentum`."""
    own = {"running_mean": running_mean, "running_var": running_var}
    checks.channels(x, training, **own, weight=weight, bias=bias)
    checks.no_gradient("native_batch_norm", **own)
    if not x._array.size:
        return _of_nothing(x, weight, bias)
    mean = var = np.empty_like(x._array, shape=(0,))
    if training:
        axes = (0, *range(2, x.ndim))
        mean, var = wide(x._array).mean(axes), wide(x._array).var(axes)
        n = x._array.size // mean.size
        if running_mean is not None and not state.recomputing:
            # behind autograd's back, as PyTorch: the version stays, so that a second use in
            # one graph is no error
            running_mean._array[...] += momentum * (mean - running_mean._array)
            running_var._array[...] += momentum * (var * (n / (n - 1)) - running_var._array)
    scale = 1 / (var + eps) ** 0.5
    batchs = [x._new(like(each, x._array)) for each in (mean, scale)]
    statistics = running_mean, running_var, *batchs
    return NativeBatchNormBackward0.call(x, weight, bias, *statistics, training, eps)


def _of_nothing(x, weight, bias):
    """An empty batch has no statistics, but its parameters are part of the graph."""
    out = x.clone() if weight is None else x.clone() * weight[0]
    return out if bias is None else out + bias[0]


# What PyTorch's own Python asks an input for first, and so of what attribute its error speaks.
ASKED_FOR = {
    **{name: name for name in ("softmax", "log_softmax", "sigmoid", "tanh")},
    **{f"{name}_loss": "size" for name in ("mse", "l1", "smooth_l1", "huber")},
    "binary_cross_entropy": "size", "binary_cross_entropy_with_logits": "size",
    "softmin": "softmax", "softsign": "abs", "tanhshrink": "tanh", "normalize": "norm",
    "adaptive_avg_pool2d": "size", "interpolate": "dim",
}  # fmt: skip
words.name_all(sys.modules[__name__], [*__all__], attributes=ASKED_FOR)
