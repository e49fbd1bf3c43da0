"""What attention refuses, in PyTorch's words, and in minigrad's where it does less."""

from __future__ import annotations

from minigrad.core.dtypes import bool_, float16, float32
from minigrad.nn.checks import not_known, size

ONLY = (
    "minigrad's attention takes neither half floats nor tensors without elements, and as many "
    "heads and values as there are keys: leave enable_gqa out"
)
NO_DROPOUT = "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0"
TWO_MASKS = (
    "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
)


def given(query, key, value, mask, enable_gqa) -> None:
    """What scaled_dot_product_attention is given."""
    tensors = query, key, value
    if any(t.dtype is not query.dtype for t in tensors):
        found = "query.dtype: {} key.dtype: {} and value.dtype: {}"
        found = found.format(*(t.dtype.c_name for t in tensors))
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got {found} instead."
        )
    if min(t.ndim for t in tensors) < 2:
        found = "query.dim: {} key.dim: {} and value.dim: {}".format(*(t.ndim for t in tensors))
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got "
            f"{found} instead."
        )
    if mask is not None and mask.dtype not in (bool_, float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {mask.dtype.c_name} and  query.dtype: {query.dtype.c_name} instead."
        )
    if enable_gqa or query.dtype is float16 or not all(t.numel() for t in tensors):
        raise NotImplementedError(ONLY)


def in_one(key, value, dropout_p) -> None:
    """What the one operation is given besides."""
    if dropout_p < 0:
        raise RuntimeError(NO_DROPOUT)
    if key.shape[2] != value.shape[2]:  # PyTorch reads what lies behind the shorter one
        raise NotImplementedError(ONLY)


def alone(mask) -> None:
    """Where the composed attention makes a mask itself, it takes no other."""
    if mask is not None:
        raise RuntimeError(TWO_MASKS)


def probability(p) -> None:
    """Of dropout; a negative one counts as 0."""
    if p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")


# -- MultiheadAttention --


def made(embed_dim, num_heads, kdim, vdim, **others) -> None:
    """What an attention of several heads is made with."""
    if embed_dim <= 0 or num_heads <= 0:
        raise ValueError(
            "embed_dim and num_heads must be greater than 0, got "
            f"embed_dim={embed_dim} and num_heads={num_heads} instead"
        )
    if embed_dim % num_heads:
        raise AssertionError("embed_dim must be divisible by num_heads")
    for name, width in (("kdim", kdim), ("vdim", vdim)):
        others[name] = width not in (None, embed_dim)
    not_known("MultiheadAttention", **others)


def axes(given, padding, mask, num_heads) -> None:
    """A batch (3 axes), or one sequence (2), and masks to go with it."""
    query, key, value = given
    n = query.ndim
    if n not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor"
        )
    start = f"For {'unbatched' if n == 2 else 'batched'} ({n}-D) `query`, expected"
    if key.ndim != n or value.ndim != n:
        raise AssertionError(
            f"{start} `key` and `value` to be {n}-D but found {key.ndim}-D and "
            f"{value.ndim}-D tensors respectively"
        )
    _mask_axes(f"{start} `key_padding_mask` to be `None` or {n - 1}-D", padding, (n - 1,))
    _mask_axes(f"{start} `attn_mask` to be `None`, 2-D or 3-D", mask, (2, 3))
    wanted = num_heads, len(query), len(key)
    if n == 2 and mask is not None and mask.ndim == 3 and tuple(mask.shape) != wanted:
        raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {size(mask)}")


def _mask_axes(expected, mask, allowed) -> None:
    if mask is not None and mask.ndim not in allowed:
        raise AssertionError(f"{expected} but found {mask.ndim}-D tensor instead")


def lengths(given, embed_dim) -> None:
    """Of a batch: how many numbers a query has, and keys and values alike."""
    query, key, value = given
    if query.shape[2] != embed_dim:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim}, but got {query.shape[2]}"
        )
    if key.shape != value.shape:
        raise AssertionError(f"key shape {size(key)} does not match value shape {size(value)}")


def hint(mask) -> None:
    """is_causal=True only says what a mask is."""
    if mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )


def mask_shape(mask, rows, columns, heads) -> None:
    """One for all heads of all batches, or one for each."""
    wanted = (rows, columns) if mask.ndim == 2 else (heads, rows, columns)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(
            f"The shape of the {mask.ndim}D attn_mask is {size(mask)}, but should be {wanted}."
        )


def padding_shape(padding, batch, columns) -> None:
    for axis, wanted in enumerate((batch, columns)):
        if padding.shape[axis] != wanted:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{axis}] to be {wanted}, "
                f"but got {padding.shape[axis]}"
            )


def mask_kind(mask, name) -> None:
    if not (mask.dtype is bool_ or mask.dtype.is_floating_point):
        raise AssertionError(f"only bool and floating types of {name} are supported")
