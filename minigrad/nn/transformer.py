"""The encoder of a Transformer: layers of attention and of two linear layers."""

from __future__ import annotations

import copy

from minigrad.core.frames import warn
from minigrad.nn import functional as F
from minigrad.nn.activations import GELU, ReLU
from minigrad.nn.attention import MultiheadAttention
from minigrad.nn.attention_function import canonical, hiding
from minigrad.nn.containers import ModuleList
from minigrad.nn.layers import Dropout, LayerNorm, Linear
from minigrad.nn.module import Module
from minigrad.ops.ranges import full

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}
NO_NESTED = "enable_nested_tensor is True, but self.use_nested_tensor is False because {}"


class TransformerEncoderLayer(Module):
    """Attention and two linear layers, each added to its input, with a norm after or before."""

    def __init__(
        self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
        layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, device=None,
        dtype=None,
    ):  # fmt: skip
        how: dict = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **how)
        self.linear1 = Linear(d_model, dim_feedforward, **how)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **how)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **how)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **how)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        if isinstance(activation, str):
            if activation not in ACTIVATIONS:
                raise RuntimeError(f"activation should be relu/gelu, not {activation}")
            activation = ACTIVATIONS[activation]
        self.activation = activation

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """Of one sequence or a batch; the masks are those of MultiheadAttention."""
        name, other = "src_key_padding_mask", "src_mask"
        padding = canonical(src_key_padding_mask, name, src.dtype, src_mask, other)
        mask = canonical(src_mask, other, src.dtype)
        rest = mask, padding, is_causal, src.ndim == 3 and self._is_fast(src)
        if self.norm_first:
            src = src + self._attended(self.norm1(src), *rest)
            return src + self._fed(self.norm2(src))
        src = self.norm1(src + self._attended(src, *rest))
        return self.norm2(src + self._fed(src))

    def _is_fast(self, x) -> bool:
        """Would PyTorch take its one operation for the layer? Its numbers are these."""
        usual = self.plain_activation() and self.norm1.eps == self.norm2.eps
        hooked = any(m._hooks and (m._hooks.before or m._hooks.after) for m in self.modules())
        return usual and not hooked and self.self_attn.is_fast(x, *self.parameters())

    def plain_activation(self) -> bool:
        known = isinstance(self.activation, (ReLU, GELU))
        return known or self.activation in (F.relu, F.gelu)

    def _attended(self, x, mask, padding, is_causal, fast):
        if fast:  # there PyTorch asks of a mask of floats only what is not 0
            padding, mask = (m if m is None else hiding(m != 0, x.dtype) for m in (padding, mask))
            found = self.self_attn.attend((x, x, x), padding, mask, False, True, False, True)
        else:
            found = self.self_attn(
                x, x, x, padding, need_weights=False, attn_mask=mask, is_causal=is_causal
            )
        return self.dropout1(found[0])

    def _fed(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """`num_layers` copies of a layer, one after the other.

    In eval() and outside of a graph PyTorch leaves padding out of its way through the layers, and
    puts zeros there: so are the numbers here.
    """

    def __init__(
        self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True
    ):
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        reason = why_not_nested(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not reason
        if enable_nested_tensor and reason:
            warn(NO_NESTED.format(reason))

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """The masks and `is_causal` go to each layer; a mask that is causal is found to be."""
        padding = canonical(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = canonical(mask, "mask", src.dtype)
        length = src.shape[1 if src.ndim == 3 and self.layers[0].self_attn.batch_first else 0]
        causal = is_causal is True or (is_causal is None and is_causal_mask(mask, length))
        padded = padding is not None and self._leaves_out(src, padding) and mask is None
        for layer in self.layers:
            src = layer(src, mask, padding, causal)
        if padded:
            src = src.masked_fill((padding != 0).unsqueeze(-1), 0)
        return src if self.norm is None else self.norm(src)

    def _leaves_out(self, src, padding) -> bool:
        """Does PyTorch leave the padding out? It must stand at the end of each sequence."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.ndim != 3:
            return False
        if tuple(padding.shape) != tuple(src.shape[:2]):
            raise RuntimeError("Mask size should match input size")
        hidden = padding != 0
        if self.mask_check and bool((hidden[:, :-1] & ~hidden[:, 1:]).any()):
            return False
        return first.self_attn.is_fast(src, *first.parameters())


def why_not_nested(layer) -> str:
    """Why PyTorch's encoder never leaves padding out; "" if it may."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention, name = layer.self_attn, "encoder_layer.self_attn"
    reasons = {
        "encoder_layer.norm_first was True": layer.norm_first,
        f"{name}.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        f"{name} was passed bias=False": attention.in_proj_bias is None,
        "encoder_layer.activation_relu_or_gelu was not True": not layer.plain_activation(),
        "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps": (
            layer.norm1.eps != layer.norm2.eps
        ),
        f"{name}.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, true in reasons.items() if true), "")


def is_causal_mask(mask, length) -> bool:
    """Does it hide what comes later, and nothing else?"""
    if mask is None or tuple(mask.shape) != (length, length):
        return False
    later = full((length, length), float("-inf"), dtype=mask.dtype, device=mask.device).triu(1)
    return bool((mask == later).all())
