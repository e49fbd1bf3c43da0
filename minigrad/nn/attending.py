"""Attention as a function, and the masks that it takes."""

from __future__ import annotations

import math

from minigrad.core.dtypes import bool_
from minigrad.ops import attention as ops
from minigrad.ops.creation import zeros

ONLY = "minigrad's attention takes batches of heads (4D) of one size, and no dropout in training"


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None
):
    """softmax(query @ key.T / sqrt(size) + mask) @ value; a mask of bools says who may look."""
    alike = query.ndim == key.ndim == value.ndim == 4 and query.shape[-1] == value.shape[-1]
    if dropout_p or not alike:
        raise NotImplementedError(ONLY)
    mask = attn_mask if attn_mask is None else added(attn_mask, query, False)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    arrays = query._array, key._array, mask if mask is None else mask._array
    rows = query._new(ops.logsumexp(ops.scores(*arrays, is_causal, factor)))
    rule = ops.ScaledDotProductFlashAttentionForCpuBackward0
    return rule.call(query, key, value, mask, rows, dropout_p, is_causal, scale, factor)


def added(mask, x, hidden: bool):
    """A mask that is added to the scores, of one whose True says what is hidden, or what is not."""
    if mask.dtype is not bool_:
        return mask
    where = mask if hidden else ~mask
    return zeros(mask.shape, dtype=x.dtype).masked_fill(where, float("-inf"))
