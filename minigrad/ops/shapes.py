"""Axes and shapes as PyTorch reads them, with its words for what does not fit."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from minigrad.core.op import Op
from minigrad.core.tensor import Tensor
from minigrad.core.words import UNNAMED, USUAL, ask_for_nodes, expected, kind_of, wrong_kind
from minigrad.ops import messages

ANY_SIZE = (
    "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 "
    "can be any value and is ambiguous"
)
LEADING = (
    "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {}"
)

INTS = frozenset((int,))
ALL: Any = "all"  # where no axis was given; None is one more way to name them all


def steps(shape) -> tuple:
    """Those of elements in order, one after the other; numpy has none where there is nothing."""
    return tuple(prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))


def whole(number, name: str, wanted: str = "int") -> int:
    """A whole number of Python's or numpy's, and no bool; `wanted` is what it must be."""
    if not is_whole(number):
        raise wrong_kind(name, wanted, number)
    return operator.index(number)


def whole_like(number, name: str, wanted: str = "int") -> int:
    """whole(), and the number of a tensor or an array of one element: where it may be a length."""
    return whole(length_of(number), name, wanted)


def is_whole(number) -> bool:
    """True also for a 0-d tensor of whole numbers, but for no array."""
    if isinstance(number, Tensor):
        return not number._array.ndim and number._array.dtype.kind in "iu"
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def parsed(numbers, read=None):
    """Several numbers as PyTorch's parser reads them: it looks closely at the first alone, so that
    a truth value is refused there and is a number anywhere else.
    """
    if INTS.issuperset(map(type, numbers)):
        return numbers
    read = read or standing_for
    rest = [int(n) if n.__class__ is bool else read(n) for n in numbers[1:]]
    return type(numbers)([read(numbers[0]), *rest])


def lengths(numbers):
    """The same of lengths, for which the truth value of a tensor does not stand."""
    return parsed(numbers, length_of)


def length_of(number):
    """standing_for(); RuntimeError, in PyTorch's words, if it is a tensor of one truth value."""
    if isinstance(number, Tensor) and number._array.dtype == bool and number._array.size == 1:
        raise RuntimeError(messages.TRUTH_AS_SIZE)
    return standing_for(number)


def standing_for(number):
    """The whole number that a tensor or an array of one element stands for; others as they are."""
    try:
        return number if isinstance(number, bool) else operator.index(number)
    except TypeError:
        return number


def flag(value, name="keepdim") -> bool:
    """True or False, and nothing that Python takes for one of them; None is False."""
    return value is not None and expected(value, bool, name, "bool")


def axis(x, dim: int, extra: int = 0, name: str = UNNAMED, wanted: str = "int") -> int:
    """`dim` counted from the front; `extra` axes may follow the existing ones."""
    if dim.__class__ is not int:
        dim = whole(dim, name, wanted)
    n = max(x._array.ndim + extra, 1)
    if not -n <= dim < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
        )
    return dim if dim >= 0 else Axis(dim + n, dim)


class Axis(int):
    """An axis counted from the front, which knows how the caller gave it."""

    given: int

    def __new__(cls, number: int, given: int):
        self = int.__new__(cls, number)
        self.given = given
        return self


USUAL.add(Axis)


def axes(x, dim, name: str = UNNAMED) -> tuple:
    """One axis or several, as a tuple of numbers counted from the front."""
    several = parsed(dim if isinstance(dim, (tuple, list)) else (dim,))
    try:
        return tuple(axis(x, d, name=name, wanted="tuple of ints") for d in several)
    except IndexError:
        ask_for_nodes(x)
        raise


def over(x, dim):
    """The axes of a reduction, each named once; None for all."""
    return None if dim is None else once(axes(x, dim))


def several(numbers):
    """A number, or numbers, as a tuple; None as it is."""
    if is_whole(numbers):
        return (operator.index(numbers),)
    if isinstance(numbers, bool):
        return (numbers,)
    return numbers if numbers is None else tuple(map(standing_for, numbers))


def once(dims: tuple) -> tuple:
    """The same axes; RuntimeError if one is named twice."""
    for dim in dims:
        if dims.count(dim) > 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return dims


def _not_whole(name: str, n, place: int) -> TypeError:
    """The error of an element of the argument `name` that is no whole number."""
    found = f"but found element of type {kind_of(n)} at pos {place}"
    return TypeError(f"argument '{name}' must be tuple of ints, {found}")


def all_whole(numbers, name: str) -> tuple:
    """The numbers as a tuple; TypeError at one that is not whole."""
    numbers = lengths(numbers)
    if INTS.issuperset(map(type, numbers)):
        return tuple(numbers)
    for i, n in enumerate(numbers):
        if not is_whole(n):
            raise _not_whole(name, n, i)
    return tuple(map(operator.index, numbers))


def no_shape(x, text: str) -> RuntimeError:
    """The error of a shape that `x` cannot have; PyTorch has asked a view for its node by then."""
    ask_for_nodes(x)
    return RuntimeError(text)


def filled(x, shape: tuple, numel: int | None = None) -> tuple:
    """`shape` with its -1 replaced; RuntimeError if it cannot hold the elements of `x`, or some."""
    shape = lengths(shape)
    for i, n in enumerate(shape):
        if not is_whole(n):
            raise _not_whole("shape", n, i)
        if n < -1:
            raise no_shape(x, f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    shape, numel = tuple(map(operator.index, shape)), x._array.size if numel is None else numel
    known = prod(n for n in shape if n != -1)
    if shape.count(-1) > 1:
        raise no_shape(x, "only one dimension can be inferred")
    if -1 in shape and not known and not numel:
        raise no_shape(x, ANY_SIZE.format(list(shape)))
    if shape.count(-1) == 1 and known and numel % known == 0:
        shape = tuple(numel // known if n == -1 else n for n in shape)
    if prod(shape) != numel or -1 in shape:
        raise no_shape(x, f"shape '{list(shape)}' is invalid for input of size {numel}")
    return shape


def expansion(shape: tuple, wanted: tuple, kind="torch.FloatTensor") -> tuple:
    """`wanted` with each -1 replaced by the length that the axis has."""
    if len(wanted) < len(shape):
        raise RuntimeError(
            f"expand({kind}{{{list(shape)}}}, size={list(wanted)}): the number of sizes "
            f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({len(shape)})"
        )
    new = len(wanted) - len(shape)
    if not shape and any(n < 0 for n in wanted):
        raise RuntimeError("numel: integer multiplication overflow")
    padded = (1,) * new + tuple(shape)
    for i in reversed(range(len(wanted))):
        have, want = padded[i], wanted[i]
        if want == -1 and i < new:
            raise RuntimeError(LEADING.format(i))
        if want not in (have, -1) and have != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({want}) must match the existing size ({have}) "
                f"at non-singleton dimension {i}.  Target sizes: {list(wanted)}.  "
                f"Tensor sizes: {list(shape)}"
            )
    if any(n < -1 for n in wanted):
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(h if w == -1 else w for h, w in zip(padded, wanted, strict=True))


def unsigned(value):
    """A number as PyTorch shows it on a node: negative ones have wrapped around, in tuples too."""
    if isinstance(value, tuple):
        return tuple(map(unsigned, value))
    if type(value) is Axis:
        value = value.given
    return value % 2**64 if type(value) is int else value


class Shown(Op):
    """A rule whose node shows its plain arguments as the caller gave them: see `unsigned`."""

    def numbers(self) -> dict:
        numbers = super().numbers().items()
        return {name: value if name in SCALARS else unsigned(value) for name, value in numbers}


SCALARS = "alpha", "correction", "ord"  # which may be of any kind: PyTorch shows them as they are
