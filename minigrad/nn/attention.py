"""MultiheadAttention: several heads attend at once, between two linear layers."""

from __future__ import annotations

import math

from minigrad.core.modes import state
from minigrad.nn import attention_checks as checks
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.attention_function import canonical, scaled_dot_product_attention
from minigrad.nn.layers import Linear
from minigrad.nn.module import Module, Parameter, vacant
from minigrad.ops.functions import baddbmm, bmm
from minigrad.ops.matmul import linear
from minigrad.ops.views import split_with_sizes


class NonDynamicallyQuantizableLinear(Linear):
    """PyTorch's name of a Linear that is part of an attention."""


class MultiheadAttention(Module):
    """softmax(q @ k.T + mask) @ v for each head, of projections of query, key and value.

    In eval() and outside of a graph PyTorch has one operation for all of it (of batch_first, with
    a bias and an even number of heads). Its numbers are these, its bytes on the way are not.
    """

    in_proj_weight: Parameter
    in_proj_bias: Parameter | None

    def __init__(
        self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False,
        kdim=None, vdim=None, batch_first=False, device=None, dtype=None,
    ):  # fmt: skip
        others = {"add_bias_kv": add_bias_kv, "add_zero_attn": add_zero_attn}
        checks.made(embed_dim, num_heads, kdim, vdim, **others)
        self.embed_dim = self.kdim = self.vdim = embed_dim
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.dropout, self.batch_first = dropout, batch_first
        rows, placed = 3 * embed_dim, (device, dtype)
        shapes = {"in_proj_weight": (rows, embed_dim), "in_proj_bias": (rows,) if bias else None}
        vacant(self, shapes, *placed)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, *placed)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        init.begin(self.in_proj_weight, math.sqrt(6 / (4 * self.embed_dim)))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
        average_attn_weights=True, is_causal=False,
    ):  # fmt: skip
        """The attended values, and, if they are needed, the weights of all keys for each query.

        Of a mask of bools, True says what is hidden; one of floats is added.
        """
        masks = [m for m in (key_padding_mask, attn_mask) if m is not None]
        fast = query is key is value and query.ndim == 3 and self.is_fast(query)
        fast = fast and not any(m.dtype.is_floating_point for m in masks)
        name, other = "key_padding_mask", "attn_mask"
        padding = canonical(key_padding_mask, name, query.dtype, attn_mask, other)
        mask = canonical(attn_mask, other, query.dtype)
        kind = need_weights, average_attn_weights, is_causal, fast
        return self.attend((query, key, value), padding, mask, *kind)

    def is_fast(self, x, *others) -> bool:
        """Would PyTorch take its one operation? `others`: tensors that must want no gradient."""
        usual = self.batch_first and self.in_proj_bias is not None and self.num_heads % 2 == 0
        if self.training or not usual or x.dtype is not self.in_proj_weight.dtype:
            return False
        tensors = x, *self.parameters(), *others
        return not (state.grad_enabled and any(t.requires_grad for t in tensors))

    def attend(self, given, padding, mask, need_weights, average, is_causal, fast):
        """The same, of masks that are added; `fast` if PyTorch would take its one operation."""
        if turned := self.batch_first and given[0].ndim == 3:
            turns = {id(t): t.transpose(1, 0) for t in given}  # what was one tensor still is
            given = tuple(turns[id(t)] for t in given)
        checks.axes(given, padding, mask, self.num_heads)
        if alone := given[0].ndim == 2:
            given = tuple(t.unsqueeze(1) for t in given)
            padding = None if padding is None else padding.unsqueeze(0)
        if is_causal and not fast:
            checks.hint(mask)
        checks.lengths(given, self.embed_dim)
        causal = is_causal and not (fast or need_weights) and padding is None
        masks = None if causal else mask, padding
        found, weights = self._batched(given, *masks, need_weights or fast, causal)
        if weights is not None and average:
            weights = weights.mean(dim=1)
        if alone:
            found, weights = found.squeeze(1), weights if weights is None else weights.squeeze(0)
        found = found.transpose(1, 0) if turned else found
        return found.contiguous() if fast else found, weights if need_weights else None

    def _batched(self, given, mask, padding, weighs, is_causal):
        """What is found in a batch, and each head's weights if it `weighs`, else None."""
        length, batch, _ = given[0].shape
        heads = [self._split(t, batch) for t in self._projected(*given)]
        mask = self._mask(mask, padding, length, batch, heads[1].shape[1])
        if weighs:
            found, weights = self._with_weights(heads, mask)
            weights = weights.view(batch, self.num_heads, length, weights.shape[-1])
        else:
            found, weights = self._without(heads, mask, batch, is_causal), None
        found = linear(found, self.out_proj.weight, self.out_proj.bias)
        return found.view(length, batch, self.embed_dim), weights

    def _projected(self, query, key, value):
        """Each times its third of the weight; of what is one tensor in one product."""
        size, weight, bias = self.embed_dim, self.in_proj_weight, self.in_proj_bias
        if key is not value:
            biases = (None,) * 3 if bias is None else bias.chunk(3)
            pairs = zip(weight.chunk(3), biases, strict=True)
            return [linear(t, *pair) for t, pair in zip((query, key, value), pairs, strict=True)]
        if query is key:
            return self._thirds(linear(query, weight, bias), 3)
        lengths = size, 2 * size
        weights = split_with_sizes(weight, lengths)
        biases = (None, None) if bias is None else split_with_sizes(bias, lengths)
        first = linear(query, weights[0], biases[0])
        return [first, *self._thirds(linear(key, weights[1], biases[1]), 2)]

    def _thirds(self, x, count):
        """The parts of a product, copied so that each lies in one piece."""
        parts = x.view(*x.shape[:-1], count, self.embed_dim).unsqueeze(0).transpose(0, -2)
        parts = parts.squeeze(-2).contiguous()
        return [parts[i] for i in range(count)]

    def _split(self, x, batch):
        """The heads of all batches, each a matrix."""
        return x.view(len(x), batch * self.num_heads, self.head_dim).transpose(0, 1)

    def _mask(self, mask, padding, rows, batch, columns):
        """What is added to the scores, or None."""
        heads = batch * self.num_heads
        if mask is not None:
            checks.mask_shape(mask, rows, columns, heads)
            mask = mask.unsqueeze(0) if mask.ndim == 2 else mask
        if padding is None:
            return mask
        checks.padding_shape(padding, batch, columns)
        padding = padding.view(batch, 1, 1, columns).expand(-1, self.num_heads, -1, -1)
        padding = padding.reshape(heads, 1, columns)
        return padding if mask is None else mask + padding

    def _with_weights(self, heads, mask):
        """Scores, softmax and product one by one. `heads` keeps the queries, as PyTorch does."""
        q, k = heads[0] * math.sqrt(1.0 / self.head_dim), heads.pop(1)
        k = k.transpose(-2, -1)
        weights = bmm(q, k) if mask is None else baddbmm(mask, q, k)
        del q, k
        weights = weights.softmax(-1)
        if self.training and self.dropout > 0:
            weights = F.dropout(weights, self.dropout)
        found = bmm(weights, heads.pop(1)).transpose(0, 1)
        return found.reshape(-1, self.embed_dim), weights

    def _without(self, heads, mask, batch, is_causal):
        """The same where nobody asks for the weights."""
        shape = batch, self.num_heads
        if mask is not None:
            one = len(mask) == 1
            mask = mask.unsqueeze(0) if one else mask.view(*shape, -1, mask.shape[-1])
        q, k, v = (t.view(*shape, *t.shape[1:]) for t in heads)
        heads.clear()
        dropout = self.dropout if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, mask, dropout, is_causal)
        return found.permute(2, 0, 1, 3).reshape(-1, self.embed_dim)
