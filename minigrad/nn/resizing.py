"""Images in another size."""

from __future__ import annotations

from minigrad.nn import checks
from minigrad.nn.module import Module
from minigrad.ops import resizing as ops

ONLY = "minigrad resizes images (4D) by mode 'nearest' or 'bilinear'"


def interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The image with as many rows and columns as `size` says, or so many times as many."""
    if x.ndim != 4 or mode not in ("nearest", "bilinear"):
        raise NotImplementedError(ONLY)
    if (size is None) == (scale_factor is None):
        one = "either size or scale_factor should be defined"
        raise ValueError(
            one if size is None else "only one of size or scale_factor should be defined"
        )
    scales: tuple = (None, None)
    if size is None:
        given = scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * 2
        scales = tuple(map(float, given))
        size = [int(n * scale) for n, scale in zip(x.shape[2:], scales, strict=True)]
    size = checks.several(size, 2)
    if mode == "nearest":
        return ops.UpsampleNearest2DBackward0.call(x, size, *scales)
    return ops.UpsampleBilinear2DBackward0.call(x, size, bool(align_corners), *scales)


class Upsample(Module):
    """interpolate() as a layer."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None):
        self.size, self.mode, self.align_corners = size, mode, align_corners
        several = isinstance(scale_factor, (tuple, list))
        self.scale_factor = (
            tuple(map(float, scale_factor)) if several else scale_factor and float(scale_factor)
        )

    def forward(self, x):
        return interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners)

    def extra_repr(self):
        given = "size" if self.scale_factor is None else "scale_factor"
        return f"{given}={getattr(self, given)!r}, mode={self.mode!r}"
