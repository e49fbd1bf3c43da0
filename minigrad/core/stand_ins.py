"""A stand-in is shown in an array's place by somebody who wants to see all that is done with it.

To the engine it is an array of another library, as one on a GPU: numpy's protocols hand each
operation on it to its own class. What they do not reach goes by `through`, and what a tensor keeps
is the array itself. The engine makes no stand-in, and while nobody shows any it asks for none.
"""

from __future__ import annotations

from typing import Any

NONE = object()  # the class says nothing of it


class StandIn:
    """Derive from this; `array` is what it stands for."""

    __slots__ = ()
    array: Any

    def through(self, function, *more):
        """function(array, *more): it looks at the array, or gives a view or a copy of it."""
        raise NotImplementedError


def through(function, array, *more):
    """function(array, *more), which a stand-in hears of."""
    if isinstance(array, StandIn):
        return array.through(function, *more)
    return function(array, *more)


class Shown:
    """Inside the block, who reads `thing.name` of a thing of `cls` gets read(thing, value).

    Who sets it to `value` sets it to write(thing, value). Meant for Tensor's `_array` and `_grad`.
    """

    def __init__(self, cls, name, read, write):
        self.cls, self.name, self.read, self.write = cls, name, read, write

    def __enter__(self):
        self.default = vars(self.cls).get(self.name, NONE)
        setattr(self.cls, self.name, self)

    def __exit__(self, *exc):
        delattr(self.cls, self.name)
        if self.default is not NONE:
            setattr(self.cls, self.name, self.default)

    def __get__(self, thing, kind=None):
        return self.read(thing, vars(thing).get(self.name))

    def __set__(self, thing, value):
        vars(thing)[self.name] = self.write(thing, value)
