"""Some elements stay and others do not: by a mask, or by where they stand in a matrix."""

from __future__ import annotations

from math import prod

import numpy as np

from minigrad.core.arrays import added, in_order, repeat
from minigrad.core.op import Op, unbroadcast
from minigrad.core.promotion import in_range, plain
from minigrad.core.stand_ins import through
from minigrad.core.tensor import Tensor, attach, recording
from minigrad.ops import messages, reading
from minigrad.ops.checks import check_room, shape_of, warn_if_expanded
from minigrad.ops.inplace import write_over
from minigrad.ops.layout import not_in_order
from minigrad.ops.numbers import converted
from minigrad.ops.shapes import Shown, whole_like


class MaskedFillBackward0(Op):
    """masked_fill(mask, number) saves the mask: a byte per element. No gradient passes it."""

    stretched = ("self",)
    extras = ("mask",)
    saves = {"mask": "self"}
    argument_names = ("",)

    @staticmethod
    def forward(x, mask, value):
        return in_order(np.where(mask, value, x))

    def backward(node, grad, mask):
        return np.where(mask, 0, grad)


class MaskedFillBackward1(Op):
    """The same with a 0-d tensor, whose gradient is the sum of what was put in its place."""

    inputs = stretched = ("self", "value")
    extras = ("mask",)
    saves = {"mask": "self value"}

    @staticmethod
    def forward(x, value, mask):
        return in_order(np.where(mask, value.astype(x.dtype), x))

    def backward(node, grad, mask):
        for_x, for_value = node.needs_input_grad
        return (
            np.where(mask, 0, grad) if for_x else None,
            added(np.where(mask, grad, 0)) if for_value else None,
        )

    def peak(node, grad, mask):
        """What is summed for the value, and the sum."""
        for_x, for_value = node.needs_input_grad
        return grad.nbytes * (for_x + for_value) + grad.itemsize * for_value


class MaskedSelectBackward0(Op):
    """masked_select saves its input, of which backward wants the shape only, and the mask."""

    extras = ("mask",)
    saves = {"mask": "self", "self": "self"}

    @staticmethod
    def forward(x, mask):
        shape = np.broadcast_shapes(x.shape, mask.shape)
        return repeat(x, shape)[repeat(mask, shape)]

    def backward(node, grad, mask, x):
        shape = np.broadcast_shapes(x.shape, mask.shape)
        result = np.zeros_like(repeat(x, shape))
        result[repeat(mask, shape)] = grad
        return unbroadcast(result, x.shape)

    def peak(node, grad, mask, x):
        """What is scattered lies in order."""
        size = prod(np.broadcast_shapes(x.shape, mask.shape)) * x.itemsize
        return size + not_in_order(grad)


class TrilBackward0(Shown):
    """tril() saves nothing: what is above the diagonal is 0, and so is its gradient."""

    argument_names = ("diagonal",)
    part = staticmethod(np.tril)

    @classmethod
    def forward(cls, x, diagonal):
        return in_order(cls.part(x, diagonal))

    def backward(node, grad):
        return in_order(node.part(grad, *node.arguments))


class TriuBackward0(TrilBackward0):
    """triu() saves nothing: the same below the diagonal."""

    part = staticmethod(np.triu)


# -- methods --


def _filling(x, mask, value):
    """(rule, the other tensors, the plain arguments) of a masked_fill."""
    if not isinstance(value, Tensor):
        return MaskedFillBackward0, (mask,), (converted(value, x._array.dtype),)
    through(_fitting, value._array, x._array.dtype)
    return MaskedFillBackward1, (value, mask), ()


def _fitting(value, dtype) -> None:
    """A 0-d tensor's number must fit as a number does."""
    converted(value.item(), dtype)


def _taken(mask, value):
    """The value as PyTorch takes it."""
    value = plain(value)
    if not (isinstance(mask, Tensor) and isinstance(value, (Tensor, int, float))):
        raise TypeError(messages.masked_fill_arguments(mask, value))
    in_range(value, np.dtype(float))
    return value


def _check_filling(mask, value) -> None:
    """What is looked at before it is seen whether a number fits."""
    if isinstance(value, Tensor) and value._array.ndim:
        raise RuntimeError(messages.VALUE_OF_0D.format(value._array.ndim))
    if mask._array.dtype != bool:
        raise RuntimeError(messages.BOOLEAN_MASKS.format(mask.dtype.c_name))


def masked_fill(x, mask, value):
    """`value` where the mask is True."""
    value = _taken(mask, value)
    shape_of(mask, x)
    _check_filling(mask, value)
    rule, others, arguments = _filling(x, mask, value)
    if x._array.dtype.kind != "f" and isinstance(value, Tensor) and recording([value]):
        raise RuntimeError(f"Autograd not support dtype: {x.dtype.scalar_type}")
    return rule.call(x, *others, *arguments)


def masked_fill_(x, mask, value):
    """Write `value` where the mask is True."""
    value = _taken(mask, value)
    _check_filling(mask, value)
    check_room(x, mask)
    warn_if_expanded("masked_fill_", "mask] = scalar", x._array)
    rule, others, arguments = _filling(x, mask, value)
    return write_over(rule, x, *others, arguments=arguments, repeated=True)


def masked_select(x, mask):
    """A copy of the elements where the mask is True, in a row."""
    if mask._array.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape_of(mask, x)
    found = MaskedSelectBackward0.call(x, mask)
    reading.seen(found._array.size)
    return found


def _diagonal(x, diagonal, name) -> tuple:
    """The plain argument of tril and triu."""
    diagonal = whole_like(diagonal, "diagonal")
    if x._array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return (diagonal,)


def _one_by_one(array) -> bool:
    """Whether PyTorch's kernel writes its matrices as they lie, also where they lie repeated: of
    more than three axes only the first may be so.
    """
    if array.ndim < 4 or array.flags.c_contiguous:
        return True
    apart, strides = prod(array.shape[-2:]) * array.itemsize, array.strides
    for n, step in zip(array.shape[-3:0:-1], strides[-3:0:-1], strict=True):
        if step != apart:
            return False
        apart *= n
    return strides[0] in (0, apart) or array.shape[0] == 1


@attach
class Masks(Tensor):
    """Methods of Tensor."""

    masked_fill, masked_fill_, masked_select = masked_fill, masked_fill_, masked_select

    # fmt: off
    def tril(x, diagonal=0): return TrilBackward0.call(x, *_diagonal(x, diagonal, "tril"))
    def triu(x, diagonal=0): return TriuBackward0.call(x, *_diagonal(x, diagonal, "triu"))
    # fmt: on

    def tril_(x, diagonal=0):
        arguments = _diagonal(x, diagonal, "tril")
        return write_over(TrilBackward0, x, arguments=arguments, repeated=_one_by_one(x._array))

    def triu_(x, diagonal=0):
        arguments = _diagonal(x, diagonal, "triu")
        return write_over(TriuBackward0, x, arguments=arguments, repeated=_one_by_one(x._array))
