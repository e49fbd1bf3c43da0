"""scaled_dot_product_attention: the two ways of PyTorch's CPU, and which one it takes."""

from __future__ import annotations

import math

from minigrad.core.dtypes import bool_
from minigrad.core.frames import warn
from minigrad.nn import attention_checks as checks
from minigrad.nn.dropping import dropout
from minigrad.ops import attention as ops
from minigrad.ops.arithmetic import MulBackward1
from minigrad.ops.creation import ones, zeros_like
from minigrad.ops.numbers import a_float


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None,
    enable_gqa=False,
):  # fmt: skip
    """softmax(query @ key.T / sqrt(size) + mask) @ value; a mask of bools says who may look.

    One operation, which keeps no scores, where PyTorch has one: for batches of heads (4 axes) of
    one size, without dropout. Else several, which keep their softmax.
    """
    checks.given(query, key, value, attn_mask, enable_gqa)
    dropout_p = a_float(dropout_p, "dropout_p")
    scale = None if scale is None else a_float(scale, "scale")
    fused = is_fused(query, key, value, attn_mask, dropout_p)
    mask = attn_mask
    if mask is not None and mask.dtype is bool_:
        mask = hiding(~mask, query.dtype)
    return (in_one if fused else in_several)(query, key, value, mask, dropout_p, is_causal, scale)


def hiding(hidden, dtype):
    """A mask to be added to scores: -inf where `hidden` is True."""
    return zeros_like(hidden, dtype=dtype).masked_fill_(hidden, float("-inf"))


def is_fused(query, key, value, mask, dropout_p) -> bool:
    """Would PyTorch's CPU take its one operation?"""
    given = query, key, value
    if dropout_p > 0 or any(t.ndim != 4 for t in given) or len({t.shape[:2] for t in given}) > 1:
        return False
    if not (mask is None or _fits(mask, (*query.shape[:3], key.shape[2]))):
        return False
    if len({t.shape[3] for t in given}) > 1 or not query.dtype.is_floating_point:
        return False
    return all(t.shape[3] == 1 or t.stride()[3] == 1 for t in given)


def _fits(mask, sizes) -> bool:
    """A mask without a gradient, for all heads of all batches (2 axes) or for each (4 axes)."""
    if mask._requires_grad:
        return False
    have = mask.size(-2), mask.size(-1)  # what has no such axes is an error
    have = have if mask.ndim == 2 else mask.shape
    known = len(have) in (2, 4)
    return known and all(n in (1, size) for n, size in zip(have, sizes[-len(have) :], strict=True))


def in_one(query, key, value, mask, dropout_p, is_causal, scale):
    """Attention as one operation."""
    checks.in_one(key, value, dropout_p)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    arrays = query._array, key._array, None if mask is None else mask._array
    lse = query._new(ops.logsumexp(ops.scores(*arrays, is_causal, factor)))
    rule = ops.ScaledDotProductFlashAttentionForCpuBackward0
    return rule.call(query, key, value, mask, lse, dropout_p, is_causal, scale, factor)


def in_several(query, key, value, mask, dropout_p, is_causal, scale):
    """Attention as PyTorch composes it: both factors of the scores get a root of the scale."""
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    root = math.sqrt(abs(scale))
    query = MulBackward1.call(query, -root if scale < 0 else root)
    if is_causal:
        checks.alone(mask)
        sizes = query.shape[-2], key.shape[-2]
        mask = hiding(~ones(sizes, dtype=bool_, device=query.device).tril(), query.dtype)
    weights = query @ MulBackward1.call(key.transpose(-2, -1), root)  # the scores as yet
    if mask is not None:
        weights.add_(mask)
    weights = ops.SafeSoftmaxBackward0.call(weights, -1)
    if dropout_p > 0:
        checks.probability(dropout_p)
        weights = dropout(weights, dropout_p)
    return weights @ value


def canonical(mask, name, dtype, other=None, other_name=""):
    """A mask as one that is added: of bools, True says what is hidden."""
    if mask is None:
        return None
    checks.mask_kind(mask, name)
    if other is not None and other.dtype is not mask.dtype:
        text = f"Support for mismatched {name} and {other_name} is deprecated. "
        warn(text + "Use same type for both instead.")
    return hiding(mask, dtype) if mask.dtype is bool_ else mask
