"""The attributes that a learner has given a tensor, as its `__dict__` shows them to a learner.

The engine's own stand in the same dict, a tensor's array among them. So a learner gets another one,
without these; what is written there is written to the tensor, as it is without a guard.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from course.sandbox.guard import exact
from course.sandbox.guard.events import CHANGED
from minigrad import Tensor
from minigrad.ops.pickling import OF_THE_ENGINE

_names_of = vars(Tensor)["__dict__"].__get__  # as it is before the guard shows another


def _joined(notes, other):
    notes.update(other)
    return notes


class Notes(dict):
    """Of one tensor, which it keeps alive."""

    __slots__ = ("tensor",)
    tensor: Any

    def __init__(self, tensor):
        self.tensor = tensor
        dict.update(self, given(tensor))

    def __setitem__(self, key, value):
        _names_of(self.tensor)[_free(key)] = value
        dict.__setitem__(self, key, value)

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        _names_of(self.tensor).pop(_free(key), None)

    def __reduce_ex__(self, protocol):
        return dict, (dict(self),)

    def pop(self, key, *default):
        found = dict.pop(self, key, *default)
        _names_of(self.tensor).pop(_free(key), None)
        return found

    __ior__: Any = _joined
    update, setdefault = MutableMapping.update, MutableMapping.setdefault
    popitem, clear = MutableMapping.popitem, MutableMapping.clear


def given(tensor):
    """A copy of what the engine has not given it."""
    return {k: v for k, v in _names_of(tensor).items() if k not in OF_THE_ENGINE}


def put(tensor, names):
    """All of its notes anew: `names` may be those that it has."""
    names = {_free(key): value for key, value in dict(names).items() if key not in OF_THE_ENGINE}
    there = _names_of(tensor)
    for key in given(tensor).keys() - names:
        del there[key]
    there.update(names)


def _free(key):
    """The key; an AttributeError if the engine's is called so."""
    key = exact.text(key)
    if key in OF_THE_ENGINE:
        raise AttributeError(CHANGED)
    return key
