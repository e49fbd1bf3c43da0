"""The states that a recurrent layer is given to begin with: what PyTorch's Python asks of them.

It asks before it computes, and what it asks a thing of the wrong kind says is Python's own.
"""

from __future__ import annotations

import operator

from minigrad.core.tensor import Tensor
from minigrad.core.words import NO_SUCH, kind_of

CELL = "lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {}"
SEQUENCE = (
    "lstm() received an invalid combination of arguments - got (Tensor, {0}, list, bool, int, "
    "float, bool, bool, bool), but expected one of:\n"
    " * (Tensor data, Tensor batch_sizes, tuple of Tensors hx, tuple of Tensors params, bool "
    "has_biases, int num_layers, float dropout, bool train, bool bidirectional)\n      didn't "
    "match because some of the arguments have invalid types: (Tensor, {0}, !{1}!, !bool!, !int!, "
    "!float!, !bool!, bool, bool)\n"
    " * (Tensor input, tuple of Tensors hx, tuple of Tensors params, bool has_biases, int "
    "num_layers, float dropout, bool train, bool bidirectional, bool batch_first)\n      didn't "
    "match because some of the arguments have invalid types: (Tensor, !{0}!, !{1}!, bool, int, "
    "float, bool, bool, bool)\n"
)


def own(function, *given):
    """What comes of a call that PyTorch makes, too; its error is raised on purpose."""
    try:
        return function(*given)
    except Exception as error:
        raise type(error)(*error.args) from None


def axes(value) -> int:
    """How many a state has."""
    if not isinstance(value, Tensor):
        raise AttributeError(NO_SUCH.format(kind_of(value), "dim"))
    return value.ndim


def pair_of_cell(hx, alone: bool):
    """The two states of one step of an LSTM."""
    if alone:
        return tuple(own(operator.getitem, hx, i) for i in (0, 1))
    return pair(hx, "lstm_cell", CELL)


def pair(hx, name: str, refusal: str = SEQUENCE, weights=()):
    """Two states, in a tuple or a list."""
    if not isinstance(hx, (tuple, list)):
        kinds = ", ".join(["Parameter"] * len([*weights]))
        raise TypeError(refusal.format(kind_of(hx), f"list of [{kinds}]"))
    if len(hx) != 2:
        raise RuntimeError(f"{name} expects two hidden states")
    return tuple(hx)


def of_sequence(hx, alone: bool, states: int) -> tuple:
    """The states of a sequence, which have as many axes as that."""
    wanted = 2 if alone else 3
    batched = f"{'unbatched' if alone else 'batched'} {wanted}-D input"
    if states == 1:
        if (found := axes(hx)) != wanted:
            text = f"For {batched}, hx should also be {wanted}-D but got {found}-D tensor"
            raise RuntimeError(text)
        return (hx,)
    numbers: tuple = axes(own(operator.getitem, hx, 0)), axes(own(operator.getitem, hx, 1))
    if set(numbers) != {wanted}:
        both = "({}-D, {}-D) tensors".format(*numbers)
        raise RuntimeError(f"For {batched}, hx and cx should also be {wanted}-D but got {both}")
    return (hx[0], hx[1]) if alone else hx
