"""Tensors that have several storages, or none: sparse and quantised ones, and what has no bytes to
be told of.
"""

from __future__ import annotations

import torch

from whoholds.on_torch.parts import followed, plain

CHANNELS = torch.per_channel_affine, torch.per_channel_affine_float_qparams
COMPRESSED = {
    torch.sparse_csr: ("crow_indices", "col_indices", "values"),
    torch.sparse_bsr: ("crow_indices", "col_indices", "values"),
    torch.sparse_csc: ("ccol_indices", "row_indices", "values"),
    torch.sparse_bsc: ("ccol_indices", "row_indices", "values"),
}
PARTS = COMPRESSED | {torch.sparse_coo: ("_indices", "_values")}
SCALES = "q_per_channel_scales", "q_per_channel_zero_points"


def parts_of(tensor) -> list:
    """The tensors that have the bytes of a sparse one, or those of a quantised one beside its own.

    They are asked for past the modes of the program, and past those that watch.
    """
    names = PARTS.get(tensor.layout, ())
    if not names and tensor.is_quantized and tensor.qscheme() in CHANNELS:
        names = SCALES
    if not names or type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        return []
    with torch.no_grad(), torch._C._DisableTorchDispatch():
        return [part for name in names if followed(part := getattr(tensor, name)())]


def unfollowed(tensor) -> str:
    """Why a tensor cannot be followed that has bytes; "" if it can, or if it has none itself."""
    if followed(tensor) or tensor.layout in PARTS or tensor.device.type == "meta":
        return ""
    if tensor is not plain(tensor) or is_wrapping(type(tensor)):
        return ""  # the tensors in it are told of
    return f"of layout {str(tensor.layout).removeprefix('torch.')}, it has no storage"


def is_wrapping(kind) -> bool:
    return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
