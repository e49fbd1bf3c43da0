"""Dropout as a function: its mask is drawn, and kept."""

from __future__ import annotations

import numpy as np

from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor
from minigrad.core.words import expected
from minigrad.nn import checks
from minigrad.ops import generator
from minigrad.ops.numbers import a_float

TWO_AXES = (
    "dropout2d: Received a {}-D input to dropout2d, which is deprecated and will result in an "
    "error in a future release. To retain the behavior and silence this warning, please use "
    "dropout instead. Note that dropout2d exists to provide channel-wise dropout on inputs with 2 "
    "spatial dimensions, a channel dimension, and an optional batch dimension (i.e. 3D or 4D "
    "inputs)."
)
AS_ONE_AXIS = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
    "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel dim. "
    "This behavior will change in a future release to interpret the input as one without a batch "
    "dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please "
    "switch to using dropout1d instead."
)
ONE_AXIS = (
    "dropout1d: Expected 2D or 3D input, but received a {}D input. Note that dropout1d exists to "
    "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
    "optional batch dimension (i.e. 2D or 3D inputs)."
)


def dropout(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Zeros at random with probability `p`; the rest grows, so that the mean stays as it was.

    The mask is a float tensor, and the graph keeps it: as many bytes as `x`.
    """
    return _dropped(x, p, training, inplace)


def dropout1d(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Whole channels of sequences, zeros at random: the mask has one number for each."""
    checks.probability(p)
    if x.dim() not in (2, 3):
        raise RuntimeError(ONE_AXIS.format(x.ndim))
    if x.dim() == 3:
        return _dropped(x, p, training, inplace, channels=True)
    one = _dropped(x.unsqueeze(0), p, training, inplace, channels=True)
    return x if inplace else one.squeeze(0)


def dropout2d(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Whole channels of images, zeros at random: the mask has one number for each."""
    checks.probability(p)
    if x.dim() not in (3, 4):
        warn(TWO_AXES.format(x.ndim))
    if x.dim() == 3:
        warn(AS_ONE_AXIS)
    return _dropped(x, p, training, inplace, channels=True)


def _dropped(x, p, training, inplace, channels=False):
    checks.probability(p)
    p = a_float(p, "p", 2)
    expected(x, Tensor, "input", "Tensor")
    if not training or p == 0 or (channels and not x.numel()):
        return x
    times = x.mul_ if inplace else x.mul
    if p == 1:
        return times(x._new(np.zeros_like(x._array, shape=())))
    checks.real(x)
    if channels:
        return times(x._new(_mask_of_channels(x, p)))
    stays = generator.drawn("random", x._array.shape, np.float32, x.device) >= p
    # It lies as `x` does, and so does the result; in order where elements of `x` share a place.
    mask = np.empty_like(x._array, order="C" if 0 in x._array.strides else "K")
    return times(x._new(np.divide(stays, 1 - p, out=mask, dtype=mask.dtype)))


def _mask_of_channels(x, p):
    """The mask with one number for each channel of each sample."""
    if x.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    shape = *x.shape[:2], *(1,) * (x.ndim - 2)
    stays = generator.drawn("random", shape, np.float32, x.device) >= p
    return np.divide(stays, 1 - p, dtype=x._array.dtype)
