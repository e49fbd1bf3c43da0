"""Names that a learner gives the engine's class of tensors: `mg.Tensor.mb = property(...)`.

Each class of tensors takes one that none of its kin has. The engine and the grader do not find it
there: to them the name is as missing as it was. Of classes whose own class is Python's `type`,
layers for one, nobody is told that they are given a name: Python itself refuses.
"""

from __future__ import annotations

import sys

from course.sandbox.guard import exact
from course.sandbox.guard.asker import is_of
from course.sandbox.guard.layout import freeze, is_frozen, with_all_below
from minigrad import Tensor

_names_of = type.__dict__["__dict__"].__get__
_line_of = type.__dict__["__mro__"].__get__


class Added:
    """Stands on the class; an attribute of an object's own goes before it. A learner can ask for it
    itself, so nothing of the guard's is in there.
    """

    __slots__ = ("_name", "_value")

    def __init__(self, name, value):
        self._name, self._value = name, value


def watch(asker):
    def __get__(own, thing, kind):
        if asker.is_ours(sys._getframe(1)):
            raise AttributeError(f"{exact.named(kind)!r} object has no attribute {own._name!r}")
        get = getattr(type(own._value), "__get__", None)
        return get(own._value, thing, kind) if get else own._value

    type.__setattr__(Added, "__get__", __get__)
    freeze(Added)


def is_free(cls, name):
    """Whether a learner may give the class this name, once or again."""
    if not (issubclass(cls, Tensor) and is_frozen(cls)) or name[:1] == "_":
        return False
    if not is_of(exact.module_of(cls), ("minigrad",)):
        return False
    kin = [one for one in (*_line_of(cls), *with_all_below(cls)) if name in _names_of(one)]
    return all(is_added(one, name) for one in kin)


def is_added(cls, name):
    return type(_names_of(cls).get(name)) is Added
