"""Attention as one operation: softmax(query @ key.T * scale + mask) @ value, for each head.

Neither the scores nor their softmax is kept: backward computes them again, from one number for
each row of them, the logarithm of the sum of its exponentials.
"""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op


def scores(query, key, mask, causal, scale):
    """How much each query asks for each key; -inf where it may not look."""
    found = query @ key.swapaxes(-1, -2) * scale
    if mask is not None:
        found = found + mask
    if causal:
        found = np.where(np.tri(*found.shape[-2:], dtype=bool), found, -np.inf)
    return found.astype(query.dtype, copy=False)


def logsumexp(found):
    """Of each row; 0 where a row has nothing but -inf, so that its softmax is 0 and not nan."""
    most = found.max(-1, keepdims=True)
    most = np.where(np.isinf(most), 0, most)
    total = np.exp(found - most).sum(-1, keepdims=True)
    return (np.log(np.where(total == 0, 1, total)) + most)[..., 0].astype(found.dtype)


class BaddbmmBackward0(Op):
    """A mask + a stack of matrix products saves as the products do."""

    inputs = ("self", "batch1", "batch2")
    stretched = ("self",)
    saves = {"batch1": "batch2", "batch2": "batch1"}
    argument_names = ("alpha", "beta")

    @staticmethod
    def forward(mask, x, y, alpha, beta):
        return x @ y + mask

    def backward(node, grad, x, y):
        return (
            grad if node.needs_input_grad[0] else None,
            None if y is None else grad @ y.swapaxes(-1, -2),
            None if x is None else x.swapaxes(-1, -2) @ grad,
        )


def not_twice(node, *tensors):
    """PyTorch has no second derivative of its fused attention."""
    raise RuntimeError(
        "derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not "
        "implemented"
    )


class ScaledDotProductFlashAttentionForCpuBackward0(Op):
    """It saves its three inputs, its result, the mask, and a number for each row."""

    inputs = ("query", "key", "value")
    extras = ("attn_mask", "logsumexp")
    saves = dict.fromkeys(
        ("attn_mask", "key", "query", "value", "logsumexp", "result"), "query key value"
    )
    argument_names = ("dropout_p", "is_causal", "scale", "")

    @staticmethod
    def forward(query, key, value, mask, rows, _, causal, __, scale):
        share = np.exp(scores(query, key, mask, causal, scale) - rows[..., None])
        result = np.empty_like(query)  # it lies as the query does
        result[...] = share @ value
        return result

    def backward(node, grad, mask, key, query, value, rows, result):
        _, causal, _, scale = node.arguments
        share = np.exp(scores(query, key, mask, causal, scale) - rows[..., None])
        slope = grad @ value.swapaxes(-1, -2) - (grad * result).sum(-1, keepdims=True)
        slope = share * slope * scale
        across, found = slope.swapaxes(-1, -2), share.swapaxes(-1, -2)
        return slope @ key, across @ query, found @ grad

    recorded = staticmethod(not_twice)
    _saved_output = property(lambda node: node._saved_result)
