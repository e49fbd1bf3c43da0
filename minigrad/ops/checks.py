"""What PyTorch refuses to write: too much, onto itself, or what another dtype has no room for."""

from __future__ import annotations

import functools

import numpy as np

from minigrad.core import arrays
from minigrad.core.frames import warn
from minigrad.core.inplace import check_cast, check_writable
from minigrad.core.messages import broadcast_error
from minigrad.core.modes import state
from minigrad.core.promotion import OF_NUMBER, RANK, in_range, result_dtype
from minigrad.core.storage import owner
from minigrad.core.tensor import Tensor
from minigrad.core.words import kind_of
from minigrad.ops import messages
from minigrad.ops.numbers import converted, fits

MOST = 65504  # the largest half float: all floats have room for it


def computed_in(op, dtype):
    """The dtype of a result, for operands of this one."""
    return OF_NUMBER[float] if op.floating and dtype.kind != "f" else dtype


def all_tensors(given):
    """They are given back, if each of them is a tensor."""
    for i, one in enumerate(given):
        if not isinstance(one, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {kind_of(one)}")
    return given


def check_written(x, y, dtype) -> None:
    """What PyTorch refuses of x = op(x, y), computed in `dtype`, before it computes."""
    array = x._array
    check_single(array)
    if isinstance(y, Tensor):
        check_apart(array, y)
        check_room(x, y)
    if dtype is not array.dtype:
        check_cast(x, dtype)


def spelled(method):
    """The same as an operator: of what is no operand Python says so, with the symbol it read."""

    @functools.wraps(method)
    def checked(x, y):
        known = isinstance(y, (Tensor, int, float, np.generic))
        return method(x, y) if known else NotImplemented

    return checked


def leaf_first(method):
    """A method that overwrites, where PyTorch refuses a leaf before it looks at the arguments."""

    @functools.wraps(method)
    def checked(x, *args, **kwargs):
        may_be_wrong = state.grad_enabled and (x._requires_grad or x._base is not None)
        if may_be_wrong and any(getattr(t, "_requires_grad", 0) for t in (x, *args)):
            check_writable(x)
        return method(x, *args, **kwargs)

    return checked


def check_single(array) -> None:
    """No two elements may stand in one place."""
    if is_expanded(array):
        raise RuntimeError(messages.REPEATS)


def is_expanded(array) -> bool:
    """True if two elements stand in one place, as in an expanded tensor."""
    if 0 not in array.strides or not array.size:
        return False
    return any(step == 0 and n > 1 for step, n in zip(array.strides, array.shape, strict=True))


def warn_if_expanded(name: str, assigned: str, array) -> None:
    """PyTorch still does this to an expanded tensor, and says that it will not for ever."""
    if is_expanded(array):
        warn(messages.EXPANDED.format(name, assigned))


def check_room(x, y) -> None:
    """Both shapes together must be that of `x`, which has no room for more."""
    have = x._array.shape
    if y._array.shape != have and (wanted := together(have, y._array.shape)) != have:
        raise RuntimeError(messages.NO_ROOM.format([*have], [*wanted]))


def together(one: tuple, other: tuple) -> tuple:
    """The shape in which tensors of both go together; an error if there is none."""
    try:
        return np.broadcast_shapes(one, other)
    except ValueError:
        raise broadcast_error(one, other) from None


def shape_of(*tensors) -> tuple:
    """The shape in which all of them go together; an error if there is none."""
    return functools.reduce(together, [t._array.shape for t in tensors], ())


def check_apart(array, y, same=True) -> None:
    """What is written to and what is read must be the `same` elements, or share none."""
    if array.base is y._array.base is None and array is not y._array:  # most own their bytes
        return
    one, other = arrays.as_array(array), arrays.as_array(y._array)
    mine, theirs = owner(one), owner(other)
    apart = mine is not theirs and mine.base is theirs.base is None
    if apart or not (arrays.dense(one) and arrays.dense(other)):
        return
    (here, size), (there, length) = ((arrays.address(a), a.nbytes) for a in (one, other))
    same = same and (here, size) == (there, length) and stepping_alike(one, other)
    if here < there + length and there < here + size and not same:
        raise RuntimeError(messages.OVERLAP)


def stepping_alike(one, other) -> bool:
    """True for one shape and the same steps; numpy has none along an axis that it has made."""
    axes = zip(one.shape, one.strides, other.strides, strict=False)
    return one.shape == other.shape and all(a == b or (n == 1 and 0 in (a, b)) for n, a, b in axes)


def alike(x, y) -> bool:
    """True for tensors of one shape, dtype and device."""
    if not isinstance(y, Tensor):
        return False
    a, b = x._array, y._array
    return a.__class__ is b.__class__ and a.shape == b.shape and a.dtype == b.dtype


def alike_floats(x, y) -> bool:
    """Of such tensors of floats no rule of two refuses anything."""
    return alike(x, y) and x._array.dtype.kind == "f"


def free_to_write(x, y) -> bool:
    """True if nothing can be wrong about writing op(x, y) to x: floats alike, in two places."""
    if not alike_floats(x, y) or x._array.base is not None:
        return False
    theirs = owner(y._array)
    return theirs is y._array or (theirs is not x._array and theirs.base is None)


def check_alpha(op, x, y, alpha, in_place=True) -> tuple:
    """The factor, which must not be of a higher kind than the result, and the result's dtype."""
    if in_place and alpha.__class__ is int and alpha == 1:
        return alpha, None  # overwrite_with() looks at the rest
    op.check(x, y)
    for number in (alpha, y):
        in_range(number, x._array.dtype)
    dtype = result_dtype(x._array, y._array if isinstance(y, Tensor) else y)
    boolean = isinstance(alpha, bool) and dtype.kind != "b"
    wrong = boolean or (isinstance(alpha, float) and dtype.kind != "f")
    no_room = in_place and RANK[dtype.kind] > RANK[x._array.dtype.kind]  # as will be said later
    if isinstance(y, Tensor) and not in_place:
        together(x._array.shape, y._array.shape)
    if not wrong and (no_room or fits(alpha, dtype)):
        return (bool(alpha) if dtype.kind == "b" else alpha), dtype
    if in_place:  # which PyTorch looks at first
        check_written(x, y, dtype)
    if not wrong:
        converted(alpha, dtype)
    raise RuntimeError(messages.BOOL_ALPHA if boolean else messages.ALPHA)
