"""Attention: as a function, as a layer of several heads, and in the encoder of a Transformer."""

from __future__ import annotations

import copy
import math

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.attending import added, scaled_dot_product_attention
from minigrad.nn.containers import ModuleList
from minigrad.nn.layers import Dropout, LayerNorm, Linear
from minigrad.nn.module import Module, Parameter
from minigrad.ops import attention as ops
from minigrad.ops.creation import empty

NOT_HERE = "minigrad's MultiheadAttention does not know {}: leave it out"


class NonDynamicallyQuantizableLinear(Linear):
    """PyTorch's name of a Linear that is part of an attention."""


class MultiheadAttention(Module):
    """Attention of several heads at once, between two linear layers."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False, **others):
        if others:
            raise NotImplementedError(NOT_HERE.format(next(iter(others))))
        self.dropout = dropout
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.batch_first = embed_dim, num_heads, batch_first
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = Parameter(empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = Parameter(empty(3 * embed_dim)) if bias else None
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias)
        init.xavier_uniform_(self.in_proj_weight)
        if bias:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
        average_attn_weights=True,
    ):  # fmt: skip
        """The result, and how much each place asks for each other one if weights are needed."""
        if query.ndim != 3:
            raise NotImplementedError("minigrad's MultiheadAttention takes batches (3D)")
        given = (query, key, value)
        if self.batch_first:
            turned = {id(t): t.transpose(1, 0) for t in given}
            given = tuple(turned[id(t)] for t in given)
        length, batch = given[0].shape[:2]
        q, k, v = (self._heads(t) for t in self._projected(*given))
        mask = self._mask(q, batch, key_padding_mask, attn_mask)
        attend = self._with_weights if need_weights else self._fused
        found, weights = attend(q, k, v, batch, mask)
        found = self.out_proj(found.reshape(length * batch, self.embed_dim))
        found = found.view(length, batch, self.embed_dim)
        if weights is not None and average_attn_weights:
            weights = weights.mean(dim=1)
        return found.transpose(1, 0) if self.batch_first else found, weights

    def _projected(self, q, k, v):
        if q is k and k is v:
            found = F.linear(q, self.in_proj_weight, self.in_proj_bias)
            found = found.view(*found.shape[:-1], 3, self.embed_dim)
            found = found.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
            return found[0], found[1], found[2]
        bias = self.in_proj_bias
        biases = (None,) * 3 if bias is None else bias.chunk(3)
        rows = zip((q, k, v), self.in_proj_weight.chunk(3), biases, strict=True)
        return [F.linear(*each) for each in rows]

    def _heads(self, x):
        length, batch = x.shape[:2]
        return x.view(length, batch * self.num_heads, self.head_dim).transpose(0, 1)

    def _mask(self, q, batch, padding, mask):
        """What is added to the scores of all heads of a batch, or None."""
        mask = mask if mask is None else added(mask, q, True)
        if mask is not None and mask.ndim == 2:
            mask = mask.unsqueeze(0)
        if padding is None:
            return mask
        padding = added(padding, q, True).view(batch, 1, 1, padding.shape[1])
        padding = padding.expand(-1, self.num_heads, -1, -1)
        padding = padding.reshape(batch * self.num_heads, 1, padding.shape[-1])
        return padding if mask is None else mask + padding

    def _with_weights(self, q, k, v, batch, mask):
        q, k = q * math.sqrt(1.0 / self.head_dim), k.transpose(-2, -1)
        scores = q.bmm(k) if mask is None else ops.BaddbmmBackward0.call(mask, q, k, 1, 1)
        share = F.dropout(scores.softmax(-1), self.dropout, self.training)
        weights = share.view(batch, self.num_heads, *share.shape[1:])
        return share.bmm(v).transpose(0, 1), weights

    def _fused(self, q, k, v, batch, mask):
        if mask is not None and len(mask) > 1:
            mask = mask.view(batch, self.num_heads, -1, k.shape[1])
        elif mask is not None:
            mask = mask.unsqueeze(0)
        q, k, v = (t.view(batch, self.num_heads, *t.shape[1:]) for t in (q, k, v))
        dropped = self.dropout if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, mask, dropped)
        return found.permute(2, 0, 1, 3), None


class TransformerEncoderLayer(Module):
    """Attention and two linear layers, each added to its input, with a norm after or before."""

    def __init__(
        self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
        layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True,
    ):  # fmt: skip
        names = {"relu": F.relu, "gelu": F.gelu}
        self.activation = names[activation] if isinstance(activation, str) else activation
        self.norm_first = norm_first
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)

    def forward(self, src, src_mask=None, src_key_padding_mask=None):
        x, masks = src, {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask}
        if self.norm_first:
            x = x + self._attended(self.norm1(x), masks)
            return x + self._fed(self.norm2(x))
        x = self.norm1(x + self._attended(x, masks))
        return self.norm2(x + self._fed(x))

    def _attended(self, x, masks):
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **masks)[0])

    def _fed(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """So many copies of a layer, one after the other."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True):
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, mask=None, src_key_padding_mask=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)
