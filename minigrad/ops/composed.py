"""What PyTorch writes with other operations, and this file with the same ones."""

from __future__ import annotations

import numpy as np

from minigrad.core import dtypes as kinds
from minigrad.core.inplace import overwrite
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops.arithmetic import MulBackward1
from minigrad.ops.checks import all_tensors
from minigrad.ops.creation import zeros
from minigrad.ops.functions import cat
from minigrad.ops.numbers import a_float
from minigrad.ops.reading import read, seen
from minigrad.ops.shapes import whole

# -- tensors beside each other --


def listed(name: str, tensors):
    """The tensors of a list that has some."""
    expected(tensors, (list, tuple), "tensors", "tuple of Tensors")
    all_tensors(tensors)
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


def hstack(tensors):
    """The tensors side by side: along the second axis, or along the only one."""
    rows = [t if t.ndim else t.reshape(1) for t in listed("hstack", tensors)]
    return cat(rows, min(rows[0].ndim - 1, 1))


def vstack(tensors):
    """The tensors below each other; one of a single axis is a row."""
    return cat([as_rows(t) for t in listed("vstack", tensors)])


def as_rows(x):
    """With two axes at least."""
    if not x.ndim:
        return x.reshape(1, 1)
    return x.unsqueeze(0) if x.ndim == 1 else x


# -- questions --


def is_floating_point(input) -> bool:
    """True for a tensor of floats."""
    expected(input, Tensor, "input", "Tensor")
    return input.is_floating_point()


def check_close(x, y, rtol, atol) -> None:
    """Raise if these cannot be close to each other."""
    expected(y, Tensor, "other", "Tensor")
    if x.dtype is not y.dtype:
        raise RuntimeError(f"{x.dtype.scalar_type} did not match {y.dtype.scalar_type}")
    for said, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{said} must be greater than or equal to zero, but got {value:g}")


def isclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where two tensors are equal up to rtol and atol."""
    return close_to(x, y, a_float(rtol, "rtol"), a_float(atol, "atol"), equal_nan)


def allclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """True if all elements are equal up to rtol and atol."""
    expected(y, Tensor, "other", "Tensor")
    apart = x.detach(), y.detach()  # the graph sees nothing of it
    tolerances = a_float(rtol, "rtol"), a_float(atol, "atol")
    return bool(close_to(*apart, *tolerances, equal_nan).all())


def close_to(x, y, rtol, atol, equal_nan):
    check_close(x, y, rtol, atol)
    expected(equal_nan, bool, "equal_nan", "bool")
    close = x == y
    if equal_nan and x.is_floating_point():
        overwrite(close, lambda array: array | (x.isnan() & y.isnan())._array)
    if rtol == 0 == atol:
        return close
    x = x.float() if x._array.dtype == bool else x
    y = y if y.is_floating_point() else y.float()
    allowed = MulBackward1.call(y, rtol).abs() + atol
    distance = (x - y).abs()
    overwrite(close, lambda array: array | (distance.isfinite() & (distance <= allowed))._array)
    return close


def nonzero(x, *, as_tuple: bool = False):
    """Where the elements are that are not zero: a row of places each, or a tensor per axis."""
    expected(x, Tensor, "input", "Tensor")
    expected(as_tuple, bool, "as_tuple", "bool")
    if as_tuple:
        return nonzero(x if x.ndim else x.unsqueeze(0)).unbind(1)
    array = read(x)
    if not array.ndim:
        return x._new(np.zeros_like(array, np.int64, shape=(int((array != 0).item()), 0)))
    return x._new(np.stack(np.where(array)).transpose())


def one_hot(tensor, num_classes: int = -1):
    """A row of zeros for each class number, with a 1 in its place."""
    expected(tensor, Tensor, "input", "Tensor")
    num_classes = whole(num_classes, "num_classes")
    if tensor.dtype is not kinds.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return zeros(*tensor.shape, num_classes, dtype=kinds.int64, device=tensor.device)
    if tensor.min().item() < 0:
        raise seen(RuntimeError("Class values must be non-negative."))
    largest = tensor.max().item()
    if num_classes not in (-1, largest + 1) and num_classes <= largest:
        raise seen(RuntimeError("Class values must be smaller than num_classes."))
    count = largest + 1 if num_classes == -1 else num_classes
    found = zeros(*tensor.shape, count, dtype=kinds.int64, device=tensor.device)
    return found.zero_().scatter_(-1, tensor.unsqueeze(-1), 1)  # two writes, as PyTorch counts


@attach
class Composed(Tensor):
    """Methods of Tensor."""

    allclose, isclose, nonzero = allclose, isclose, nonzero
    ndimension, nelement = Tensor.dim, Tensor.numel

    def reshape_as(x, other):
        """A view in the shape of another tensor if the bytes allow it, else a copy."""
        expected(other, Tensor, "other", "Tensor")
        return x.reshape(other.shape)
