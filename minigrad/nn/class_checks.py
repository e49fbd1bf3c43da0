"""What cross_entropy and nll_loss refuse, in PyTorch's words and order."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import int64, uint8
from minigrad.core.stand_ins import through
from minigrad.nn.checks import no_gradient
from minigrad.ops import messages, reading
from minigrad.ops.arithmetic import only_floats

# of classes; seen without its sign, a negative number is a very large one
CLASS_DTYPES = {int64.numpy: np.uint64, uint8.numpy: np.uint8}
NO_AXES = "Expected 1 or more dimensions (got 0)"
BATCHES = "Expected input batch_size ({}) to match target batch_size ({})."
SPATIAL = "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}"
SIZES = "size mismatch (got input: {} , target: {}"  # PyTorch, too, leaves this open
WEIGHTS = (
    "weight tensor should be defined either for all {0} classes or no classes but got weight "
    "tensor of shape: {1}"
)


def class_axis(x) -> int:
    """Where the classes of these scores stand."""
    return 0 if x.ndim == 1 else 1


def smoothing(share) -> None:
    """What the labels are smoothed by is no more than all of it."""
    if share > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {share:g}")


def probabilities(x, target, weight, ignored) -> None:
    """A target of the shape of the scores has a probability for each."""
    if not target.is_floating_point():
        text = "Expected floating point type for target with class probabilities, got "
        raise RuntimeError(text + target.dtype.scalar_type)
    if ignored >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if not x.ndim:
        raise IndexError(messages.NO_DIMENSIONS.format(1))
    count = x.shape[class_axis(x)]
    if weight is not None and tuple(weight.shape) != (count,):
        raise RuntimeError("cross_entropy: " + WEIGHTS.format(count, list(weight.shape)))


def classes(x, target, ignored, weight=None) -> None:
    """One class per row of scores, and each a column of them; a weight for each class."""
    scores, labels = x._array, target._array
    if scores.ndim > 1:
        batches(scores, labels)
    no_gradient("nll_loss_forward", weight=weight)
    if labels.ndim > 1 and (scores.ndim == 1 or len(labels) == len(scores)):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    _of_class_dtype(target)
    if labels.size != 1 and scores.ndim == 1:
        found = f"but got target size: {len(labels)}"
        raise ValueError(f"For 1D input, 1D target must have size 1, {found}")
    if weight is not None:
        if tuple(weight.shape) != scores.shape[-1:]:
            raise RuntimeError(WEIGHTS.format(scores.shape[-1], list(weight.shape)))
        _of_one_dtype(x, weight)
    only_floats(scores, "nll_loss_out_frame")
    if labels.size:
        through(_in_bounds, labels, ignored, scores.shape[-1])


def batches(scores, labels) -> None:
    """As many targets as rows, or images, of scores."""
    if labels.shape[:1] != scores.shape[:1]:
        raise ValueError(BATCHES.format(len(scores), len(labels) if labels.ndim else 0))


def classes_of_image(x, target, ignored, weight, reduction: int) -> None:
    """One class per place of an image, whose scores stand in axis 1."""
    scores, labels = x._array, target._array
    no_gradient("nll_loss2d_forward", weight=weight)
    if labels.ndim != 3:
        raise RuntimeError(SPATIAL.format(labels.ndim))
    _of_class_dtype(target)
    if weight is not None and weight._array.size != scores.shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if labels.shape != (scores.shape[0], *scores.shape[2:]):
        raise RuntimeError(SIZES.format(list(scores.shape), list(labels.shape)))
    if weight is not None:
        _of_one_dtype(x, weight)
    only_floats(scores, "nll_loss2d_forward_out_frame")
    if target.dtype is not int64 and (labels.size or not reduction):
        raise RuntimeError(messages.OTHER_DTYPE.format("Long", "Byte"))
    if labels.size:
        through(_in_bounds, labels, ignored, scores.shape[1])


def _of_class_dtype(target) -> None:
    if target._array.dtype not in CLASS_DTYPES:
        name = target.dtype.scalar_type
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {name}")


def _of_one_dtype(x, weight) -> None:
    if weight.dtype is not x.dtype and x.is_floating_point():
        kinds = x.dtype.scalar_type, weight.dtype.scalar_type
        raise RuntimeError(messages.OTHER_DTYPE.format(*kinds))


def _in_bounds(target, ignored, classes) -> None:
    if target.view(CLASS_DTYPES[target.dtype]).max() < classes:
        return
    for t in target.reshape(-1).tolist():
        if t != ignored and not 0 <= t < classes:
            raise reading.seen(IndexError(f"Target {t} is out of bounds."))
