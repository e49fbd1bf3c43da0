"""The second derivative of resizing: a gradient's gradient is resized as the image was."""

from __future__ import annotations

from minigrad.ops.resizing import UpsampleBilinear2DBackward0, UpsampleNearest2DBackward0
from minigrad.second.rules import OfLinear


class UpsampleNearest2DBackwardBackward0(OfLinear):
    """A gradient brought to the size of the image, recorded."""

    first = UpsampleNearest2DBackward0


class UpsampleBilinear2DBackwardBackward0(OfLinear):
    """The same where each number is a mean."""

    first = UpsampleBilinear2DBackward0
