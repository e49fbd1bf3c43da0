"""Attention: softmax(query @ key.T * scale + mask) @ value, in one operation and in several.

The one operation keeps neither the scores nor their softmax, which grow with the square of the
length: backward computes them again, from one number for each row, the logarithm of the sum of its
exponentials.
"""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import in_order
from minigrad.core.op import Op
from minigrad.ops.layout import copied
from minigrad.ops.linear import transposed
from minigrad.ops.losses import SoftmaxBackward0


def scores(query, key, mask, causal, scale):
    """How much each query asks for each key; -inf where it may not look."""
    found = query @ transposed(key)
    found *= scale
    if mask is not None:
        found += mask
    return np.where(np.tril(np.ones_like(found, dtype=bool)), found, -np.inf) if causal else found


def logsumexp(found):
    """Of each row; 0 where it has nothing but -inf, so that its weights are 0 and not nan."""
    most = found.max(-1, keepdims=True)
    most = np.where(most == -np.inf, 0, most)
    total = np.exp(found - most).sum(-1, keepdims=True)
    return (np.log(np.where(total == 0, 1, total)) + most)[..., 0]


def weights(lse, query, key, mask, causal, scale):
    """The softmax of the scores, from the logsumexp of its rows."""
    found = scores(query, key, mask, causal, scale)
    found -= lse[..., None]
    return np.exp(found, out=found)


class ScaledDotProductFlashAttentionForCpuBackward0(Op):
    """It saves its three inputs, its result, the mask, and one number for each row of scores."""

    inputs = ("query", "key", "value")
    extras = ("attn_mask", "buffer")  # the buffer has the logsumexp of the rows
    saves = dict.fromkeys(
        ("attn_mask", "key", "query", "value", "buffer", "result"), "query key value"
    )
    argument_names = ("dropout_p", "is_causal", "scale", "")

    @staticmethod
    def forward(query, key, value, mask, lse, _, causal, __, scale):
        result = weights(lse, query, key, mask, causal, scale) @ value
        return ordered_as(query, result)

    def backward(node, grad, mask, key, query, value, lse, result):
        _, causal, _, scale = node.arguments
        weight = weights(lse, query, key, mask, causal, scale)
        slope = grad @ transposed(value)
        slope -= (grad * result).sum(-1, keepdims=True)
        slope *= weight
        slope *= scale
        found = slope @ key, transposed(slope) @ query, transposed(weight) @ grad
        return tuple(map(head_by_head, found))

    def peak(node, grad, mask, key, query, value, lse, result):
        """All three gradients, whoever wants one."""
        return query.nbytes + key.nbytes + value.nbytes


def as_shown(rule, names):
    """`names`: {a saved tensor's name here: PyTorch's}, under which the node is to show it."""
    for name, shown in names.items():
        for prefix in ("_saved_", "_raw_saved_"):
            setattr(rule, prefix + shown, getattr(rule, prefix + name))
            delattr(rule, prefix + name)


as_shown(ScaledDotProductFlashAttentionForCpuBackward0, {"result": "output", "buffer": "logsumexp"})


def ordered_as(x, result):
    """`result` as `x` lies in memory, if repeated axes are left out of account."""
    made = np.empty_like(copied(x, x.dtype))
    made[...] = result
    return made


def head_by_head(grad):
    """A gradient whose heads lie beside each other at each place, as PyTorch's kernel leaves it."""
    return in_order(grad.swapaxes(1, 2)).swapaxes(1, 2)


class SafeSoftmaxBackward0(SoftmaxBackward0):
    """A softmax whose row of nothing but -inf is 0, and not nan."""

    @staticmethod
    def forward(x, dim):
        result = SoftmaxBackward0.forward(x, dim)
        result[np.broadcast_to((x == -np.inf).all(dim, keepdims=True), x.shape)] = 0
        return result
