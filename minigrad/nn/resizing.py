"""interpolate and Upsample: images in another size."""

from __future__ import annotations

import numpy as np

from minigrad.nn.checks import not_known
from minigrad.nn.module import Module
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.layout import channels_last
from minigrad.ops.resizing import (
    SMALL,
    UpsampleBilinear2DBackward0,
    UpsampleNearest2DBackward0,
)

MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
NEEDS = {"linear": 3, "bilinear": 4, "trilinear": 5}  # axes
ONLY = "minigrad resizes images (4D) of floats by mode 'nearest' or 'bilinear'"
IN_ORDER = "minigrad resizes images whose channels lie apart: call contiguous() first"
CORNERS = (
    "align_corners option can only be set with the interpolating modes: "
    "linear | bilinear | bicubic | trilinear"
)
DIMENSIONS = "Input and {} must have the same number of spatial dimensions, but got input with "
FORMAT = "Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
OF_SIZE = FORMAT + "output size in (o1, o2, ...,oK) format."
OF_SCALE = FORMAT + "scale_factor in (s1, s2, ...,sK) format."
OF_WHOLE = (
    "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], "
)
WHOLE = int, np.integer


def interpolate(
    x, size=None, scale_factor=None, mode="nearest", align_corners=None,
    recompute_scale_factor=None, antialias=False,
):  # fmt: skip
    """The image with as many rows and columns as `size` says, or so many times as many."""
    others = {"recompute_scale_factor": recompute_scale_factor, "antialias": antialias}
    not_known("interpolate()", **others)
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(CORNERS)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    sizes, scales = [], []
    if size is not None:
        sizes = _each_axis(x, size, "output", "output size of", OF_SIZE)
        _check_whole(sizes, size)
    else:
        scales = _each_axis(x, scale_factor, "scale_factor", "scale_factor of shape", OF_SCALE)
    _check_mode(x.ndim, mode)
    sizes, scales = _in_numbers(x, sizes, scales)
    _check_image(x, sizes, mode)
    if mode == "nearest":
        return UpsampleNearest2DBackward0.call(x, sizes, *scales)
    return UpsampleBilinear2DBackward0.call(x, sizes, bool(align_corners), *scales)


def _each_axis(x, given, name, found, ending) -> list:
    """One number for each axis of the image."""
    if not isinstance(given, (list, tuple)):
        return [given] * (x.ndim - 2)
    if len(given) != x.ndim - 2:
        text = f"spatial dimensions of {list(x.shape[2:])} and {found} {given}. "
        raise ValueError(DIMENSIONS.format(name) + text + ending)
    return list(given)


def _check_whole(sizes, given) -> None:
    if isinstance(given, (list, tuple)) and not all(isinstance(n, WHOLE) for n in sizes):
        raise TypeError(OF_WHOLE + f"but got size with types {[type(n) for n in sizes]}")


def _in_numbers(x, sizes, scales):
    """The size of the result, and the scales or none, as the rules take them."""
    if sizes:
        if not all(isinstance(n, WHOLE) and not isinstance(n, bool) for n in sizes):
            raise TypeError("upsample2d() received an invalid combination of arguments")
        return tuple(map(int, sizes)), (None, None)
    scales = tuple(map(float, scales))
    wanted = [n * scale for n, scale in zip(x.shape[2:], scales, strict=True)]
    if not all(abs(n) < 2**63 for n in wanted):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return tuple(map(int, wanted)), scales


def _check_mode(axes, mode) -> None:
    if mode in NEEDS and axes in (3, 4, 5) and NEEDS[mode] != axes:
        text = f"Got {axes}D input, but {mode} mode needs {NEEDS[mode]}D input"
        raise NotImplementedError(text)
    if mode not in MODES.split(" | ") or axes not in (3, 4, 5):
        text = f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {axes}D) for the "
        raise NotImplementedError(f"{text}modes: {MODES} (got {mode})")
    if axes != 4 or mode not in ("nearest", "bilinear"):
        raise NotImplementedError(ONLY)


def _check_image(x, sizes, mode) -> None:
    if min(*x.shape[2:], *sizes) <= 0:
        one, other = ("(H: {}, W: {})".format(*pair) for pair in (x.shape[2:], sizes))
        text = (
            f"Input and output sizes should be greater than 0, but got input {one} output {other}"
        )
        raise RuntimeError(text)
    if not x.shape[1]:
        text = f"Non-empty 4D data tensor expected but got a tensor with sizes {list(x.shape)}"
        raise RuntimeError(text)
    if x._array.dtype == np.uint8:
        raise NotImplementedError(ONLY)
    large = f"compute_indices_weights_{mode.removeprefix('bi')}"
    only_floats(x._array, f"upsample_{mode}2d_channels_last" if sum(sizes) <= SMALL else large)
    if channels_last(x._array):
        raise NotImplementedError(IN_ORDER)


class Upsample(Module):
    """interpolate() as a layer."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None):
        self.size, self.mode, self.align_corners = size, mode, align_corners
        several = isinstance(scale_factor, tuple)
        each = tuple(map(float, scale_factor)) if several else ()
        self.scale_factor = each or (float(scale_factor) if scale_factor else None)

    def forward(self, x):
        return interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners)

    def extra_repr(self):
        given = "size" if self.scale_factor is None else "scale_factor"
        return f"{given}={getattr(self, given)!r}, mode={self.mode!r}"
