"""A stand-in is shown in an array's place by somebody who wants to see all that is done with it.

To the engine it is an array of another library, as one on a GPU: numpy's protocols hand each
operation on it to its own class. What they do not reach goes by `through`, and what a tensor keeps
is the array itself. The engine makes no stand-in, and while nobody shows any it asks for none.
"""

from __future__ import annotations

import contextlib
from typing import Any


class StandIn:
    """Derive from this; `array` is what it stands for."""

    __slots__ = ()
    array: Any

    def through(self, function, *more):
        """function(array, *more): it looks at the array, or gives a view or a copy of it."""
        raise NotImplementedError


def through(function, array, *more):
    """function(array, *more), which a stand-in hears of."""
    known = isinstance(array, StandIn)
    return array.through(function, *more) if known else function(array, *more)


@contextlib.contextmanager
def shown(cls, name, read, write):
    """Inside the block, `thing.name` is read(thing), and write(thing, value) sets it.

    Meant for Tensor's `_array` and `_grad`. What is really there stands in vars(thing).
    """
    default = vars(cls).get(name, cls)  # cls: there is none
    setattr(cls, name, property(read, write))
    try:
        yield
    finally:
        delattr(cls, name)
        if default is not cls:
            setattr(cls, name, default)
