"""cross_entropy and nll_loss: how well scores tell the class of each row, or of each place.

The classes stand in axis 1, in a single row in axis 0. A target has a class for each row of scores,
as (batch, classes) or (batch, classes, height, width) has rows, or is of their shape and has a
probability for each.
"""

from __future__ import annotations

import math

from minigrad.nn import checks, class_checks
from minigrad.nn.class_checks import class_axis
from minigrad.ops.arithmetic import AddBackward1, DivBackward1, MulBackward1
from minigrad.ops.losses import NllLoss2DBackward0, NllLossBackward0
from minigrad.ops.numbers import a_float


def cross_entropy(
    x, target, weight=None, size_average=None, ignore_index: int = -100, reduce=None,
    reduction: str = "mean", label_smoothing: float = 0.0,
):  # fmt: skip
    """-log of the probability that the scores `x` give to the `target` class."""
    reduction = checks.reduced_by(reduction, size_average, reduce)
    label_smoothing = a_float(label_smoothing, "label_smoothing", 6)
    if x.shape == target.shape:
        class_checks.probabilities(x, target, weight, ignore_index)
        return _of_probabilities(x, target, weight, reduction, label_smoothing)
    class_checks.smoothing(label_smoothing)
    x = x.log_softmax(class_axis(x))
    loss = nll_loss(x, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing > 0:
        return loss
    return _smoothed(loss, x, target, weight, ignore_index, reduction, label_smoothing)


def _of_probabilities(x, target, weight, reduction, share):
    number, axis = checks.reduction(reduction), class_axis(x)
    x, count = x.log_softmax(axis), x.shape[axis]
    class_checks.smoothing(share)
    if share > 0:
        target = AddBackward1.call(MulBackward1.call(target, 1 - share), of_each(share, count))
    losses = x * target if weight is None else x * target * beside_classes(weight, x)
    if not number:
        return -losses.sum(axis)
    if number == 1 and not x.numel():
        return -losses.sum().fill_(math.nan)
    total = losses.sum()  # kept to the end, as PyTorch does
    negative = -total
    return negative if number == 2 else DivBackward1.call(negative, x.numel() // count)


def of_each(share, count) -> float:
    """The part of each class."""
    return share / count if count else math.inf


def beside_classes(weight, x):
    """A weight for each class in the shape that multiplies the classes of `x`."""
    return weight if x.ndim == 1 else weight.view(1, -1, *[1] * (x.ndim - 2))


def _smoothed(loss, x, target, weight, ignored, reduction, share):
    """`share` of the loss is that which all classes would have, each as much as the others."""
    axis = class_axis(x)
    rows = x if weight is None else x * beside_classes(weight, x)
    losses = -rows.sum(axis)  # of each row, the sum of those that its classes would have
    del rows  # here, as in PyTorch
    left_out = target == ignored
    losses.masked_fill_(left_out, 0.0)
    even = losses
    if reduction != "none":
        even = losses.sum() if reduction == "sum" else _mean(losses, ~left_out, target, weight)
    added = MulBackward1.call(even, of_each(share, x.shape[axis]))
    return MulBackward1.call(loss, 1 - share) + added


def _mean(losses, counted, target, weight):
    """Over the rows that count, each by the weight of its class."""
    classes = target if weight is None else target[counted]
    counts = counted if weight is None else weight.gather(0, classes)
    count = counts.sum()  # before the other sum, as PyTorch's compiler has it
    return losses.sum() / count


def nll_loss(
    x, target, weight=None, size_average=None, ignore_index: int = -100, reduce=None,
    reduction: str = "mean",
):  # fmt: skip
    """What cross_entropy is of scores, of log-probabilities `x`."""
    number = checks.reduction(reduction, size_average, reduce)
    if not x.ndim:
        raise ValueError(class_checks.NO_AXES)
    options = weight, number, ignore_index
    if x.ndim < 3:
        class_checks.classes(x, target, ignore_index, weight)
        return _nll(NllLossBackward0, x, target, *options)
    class_checks.batches(x._array, target._array)
    if x.ndim == 4:
        return _of_image(x, target, *options)
    sizes = [x.shape[0], *x.shape[2:]]
    if list(target.shape) != sizes:
        raise RuntimeError(f"Expected target size {sizes}, got {list(target.shape)}")
    length = math.prod(sizes[1:])
    image = x.contiguous().view(*x.shape[:2], 1 if x.numel() else 0, length)
    flat = target.contiguous().view(sizes[0], 1 if target.numel() else 0, length)
    loss = _of_image(image, flat, *options)
    return loss if number else loss.view(sizes)


def _of_image(x, target, weight, number, ignored):
    class_checks.classes_of_image(x, target, ignored, weight, number)
    return _nll(NllLoss2DBackward0, x, target, weight, number, ignored)


def _nll(op, x, target, weight, number, ignored):
    counts = target._array != ignored
    if weight is not None:
        counts = weight._array.reshape(-1)[target._array * counts] * counts
    counted = counts.sum(dtype=x._array.dtype)
    total = x._new(counted if number else counted * 0)  # PyTorch counts only if it sums up
    return op.call(x, target, weight, total, number, ignored)
