"""Layers as plain functions: they own no parameters."""

from __future__ import annotations

import sys

from minigrad.core import words
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
from minigrad.nn.gates import glu, hardsigmoid, hardswish
from minigrad.nn.gumbel import gumbel_softmax
from minigrad.nn.margins import (
    cosine_embedding_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    poisson_nll_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from minigrad.nn.normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from minigrad.nn.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from minigrad.nn.pooling_rows import adaptive_avg_pool1d, avg_pool1d, max_pool1d
from minigrad.nn.resizing import interpolate
from minigrad.nn.shrinking import celu, celu_, hardshrink, softshrink, threshold, threshold_
from minigrad.ops.composed import one_hot
from minigrad.ops.matmul import linear
from minigrad.ops.numbers import a_number
from minigrad.ops.padding import pad

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "batch_norm",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "celu_", "conv1d", "conv2d",
    "conv_transpose1d", "conv_transpose2d", "cosine_embedding_loss", "cosine_similarity",
    "cross_entropy", "dropout", "dropout1d", "dropout2d", "elu", "embedding", "gaussian_nll_loss",
    "gelu", "glu", "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish",
    "hardtanh", "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear", "log_softmax", "logsigmoid",
    "margin_ranking_loss", "max_pool1d", "max_pool2d", "mish", "mse_loss", "nll_loss", "normalize",
    "one_hot", "pad", "pairwise_distance", "poisson_nll_loss", "prelu", "relu", "relu6", "relu_",
    "rms_norm", "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss",
    "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh",
    "tanhshrink", "threshold", "threshold_", "triplet_margin_loss",
]  # fmt: skip


def leaky_relu_(x, negative_slope: float = 0.01):
    """leaky_relu, written over its input."""
    return leaky_relu(x, a_number(negative_slope), inplace=True)


def relu_(x):
    """relu, written over its input."""
    return x.relu_()


def normalize(x, p: float = 2.0, dim=1, eps: float = 1e-12):
    """x divided by its norm along `dim`."""
    return x / x.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(x)


# What PyTorch's own Python asks an input for first, and so of what attribute its error speaks.
ASKED_FOR = {
    **{name: name for name in ("softmax", "log_softmax", "sigmoid", "tanh")},
    **{f"{name}_loss": "size" for name in ("mse", "l1", "smooth_l1", "huber")},
    "binary_cross_entropy": "size", "binary_cross_entropy_with_logits": "size",
    "softmin": "softmax", "softsign": "abs", "tanhshrink": "tanh", "normalize": "norm",
    "adaptive_avg_pool2d": "size", "interpolate": "dim", "group_norm": "dim", "glu": "dim",
    "instance_norm": "size", "margin_ranking_loss": "dim",
    "gaussian_nll_loss": "size",
}  # fmt: skip
words.name_all(sys.modules[__name__], [*__all__], attributes=ASKED_FOR)
