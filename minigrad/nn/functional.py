"""Layers as plain functions: they own no parameters."""

from __future__ import annotations

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
from minigrad.nn.classes import cross_entropy, nll_loss
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
from minigrad.nn.dropping import dropout, dropout1d, dropout2d
from minigrad.nn.embedding import embedding
from minigrad.nn.gumbel import gumbel_softmax
from minigrad.nn.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from minigrad.nn.resizing import interpolate
from minigrad.ops.arithmetic import like
from minigrad.ops.composed import one_hot
from minigrad.ops.elementwise import wide
from minigrad.ops.matmul import linear
from minigrad.ops.means import mean_of, variance_of
from minigrad.ops.norm import NativeBatchNormBackward0, NativeLayerNormBackward0
from minigrad.ops.padding import pad
from minigrad.ops.shapes import all_whole

__all__ = [
    "adaptive_avg_pool2d", "avg_pool2d", "batch_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d",
    "cosine_similarity", "cross_entropy", "dropout", "dropout1d", "dropout2d", "elu", "embedding",
    "gelu",
    "gumbel_softmax", "hardtanh",
    "huber_loss", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_",
    "linear", "log_softmax", "logsigmoid", "max_pool2d", "mish", "mse_loss", "nll_loss",
    "normalize", "one_hot", "pad", "pairwise_distance", "prelu", "relu", "relu_", "relu6",
    "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss", "softmax",
    "softmin", "softplus", "softsign", "tanh", "tanhshrink",
]  # fmt: skip


def leaky_relu_(x, negative_slope: float = 0.01):
    """leaky_relu, written over its input."""
    return leaky_relu(x, negative_slope, inplace=True)


def relu_(x):
    """relu, written over its input."""
    return x.relu_()


def normalize(x, p: float = 2.0, dim=1, eps: float = 1e-12):
    """x divided by its norm along `dim`."""
    return x / x.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(x)


# -- normalization --


def layer_norm(x, normalized_shape, weight=None, bias=None, eps: float = 1e-5):
    """Each row (the axes of `normalized_shape`) with mean 0 and variance 1, then the parameters."""
    words.expected(normalized_shape, (tuple, list), "normalized_shape", "tuple of ints")
    shape = all_whole(normalized_shape, "normalized_shape")
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
        rows = wide(x._array)
        mean, var = mean_of(rows, axes), variance_of(rows, axes)
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
