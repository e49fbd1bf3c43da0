"""What the functions of nn refuse, in PyTorch's words, before anything is computed."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import int64, uint8
from minigrad.core.stand_ins import through

# of classes; seen without its sign, a negative number is a very large one
CLASS_DTYPES = {int64.numpy: np.uint64, uint8.numpy: np.uint8}
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def reduction(name: str) -> int:
    if name not in REDUCTIONS:
        raise ValueError(f"{name} is not a valid value for reduction")
    return REDUCTIONS[name]


def probability(p) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def real(x) -> None:
    if not x.dtype.is_floating_point:
        kind = x.dtype.scalar_type
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")


def classes(x, target, ignored) -> None:
    """One class per row of scores, and each a column of them."""
    scores, labels = x._array, target._array
    if labels.shape == scores.shape or scores.ndim > 2:
        raise NotImplementedError(
            "minigrad's cross_entropy takes rows of scores and one class number per row; "
            "flatten() further axes, and write a loss over class probabilities with log_softmax()"
        )
    if labels.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if labels.shape != scores.shape[:-1]:
        raise ValueError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size "
            f"({target.shape[0]})."
        )
    if labels.dtype not in CLASS_DTYPES:
        name = target.dtype.scalar_type
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {name}")
    if labels.size:
        through(_in_bounds, labels, ignored, scores.shape[-1])


def _in_bounds(target, ignored, classes) -> None:
    if target.view(CLASS_DTYPES[target.dtype]).max() < classes:
        return
    for t in target.reshape(-1).tolist():
        if t != ignored and not 0 <= t < classes:
            raise IndexError(f"Target {t} is out of bounds.")


def pair(number) -> tuple:
    """Height and width, from one number for both or from two."""
    numbers = (number,) if isinstance(number, int) else tuple(number)
    return numbers * 2 if len(numbers) == 1 else numbers


def only_plain_convolution(padding, others) -> None:
    usual = {"dilation": (1, (1, 1)), "groups": (1,), "padding_mode": ("zeros",)}
    odd = [name for name, value in others.items() if value not in usual.get(name, ())]
    if odd or isinstance(padding, str):
        raise NotImplementedError(
            f"minigrad's Conv2d does not know {odd[0] if odd else 'padding as a word'}: it takes "
            "stride, padding (a number, or two) and bias"
        )


def convolution(x, weight, bias, stride, padding) -> None:
    if x.ndim != 4:
        raise RuntimeError(
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: "
            f"{list(x.shape)}"
        )
    for name, numbers in (("stride", stride), ("padding", padding)):
        if len(numbers) != 2:
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of 2 values to match the "
                f"convolution dimensions, but got {name}={list(numbers)}"
            )
    if min(stride) <= 0 or min(padding) < 0:
        fault = "non-positive stride" if min(stride) <= 0 else "negative padding"
        raise RuntimeError(f"{fault} is not supported")
    if x.dtype is not weight.dtype:
        raise RuntimeError(
            f"Input type ({x.dtype.legacy}) and weight type ({weight.dtype.legacy}) should be the "
            "same or input should be a MKLDNN tensor and weight is a dense tensor"
        )
    if bias is not None and bias.dtype is not x.dtype:
        raise RuntimeError(
            f"Input type ({x.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same"
        )
    _sizes(x, weight, bias, [n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True)])


def _sizes(x, weight, bias, has) -> None:
    given = f"Given weight of size {list(weight.shape)}, expected"
    if x.shape[1] != weight.shape[1]:
        raise RuntimeError(
            f"{given.replace('weight', 'groups=1, weight')} input{list(x.shape)} to have "
            f"{weight.shape[1]} channels, but got {x.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != weight.shape[:1]:
        raise RuntimeError(
            f"{given} bias to be 1-dimensional with {weight.shape[0]} elements, "
            f"but got bias of size {list(bias.shape)} instead"
        )
    if any(k > n for k, n in zip(weight.shape[2:], has, strict=True)):
        shown, wanted = (" x ".join(map(str, sizes)) for sizes in (has, weight.shape[2:]))
        raise RuntimeError(
            f"Calculated padded input size per channel: ({shown}). Kernel size: ({wanted}). "
            "Kernel size can't be greater than actual input size"
        )


def rows(x, shape, weight, bias) -> None:
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(t.shape)} and normalized_shape = {list(shape)}"
            )
        if t is not None and t.dtype is not x.dtype:
            kind = x.dtype.scalar_type
            raise RuntimeError(f"mixed dtype (CPU): expect parameter to have scalar type of {kind}")
    if tuple(x.shape[x.ndim - len(shape) :]) != shape:
        wanted = ", ".join(map(str, ("*", *shape)))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got "
            f"input of size{list(x.shape)}"
        )


def channels(x, training, **vectors) -> None:
    """`vectors`: one number per channel, or None."""
    if training and x.numel() == x.shape[1]:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"torch.Size({list(x.shape)})"
        )
    given = {name: t for name, t in vectors.items() if t is not None}
    if not (training or "running_mean" in given):
        raise RuntimeError("running_mean must be defined in evaluation mode")
    for name, t in given.items():
        if t.shape != x.shape[1:2]:
            raise RuntimeError(f"{name} should contain {x.shape[1]} elements not {t.numel()}")
        if t.dtype is not x.dtype:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
