"""Lists, dicts and sets that the engine goes by: a learner gets copies, and none to write into.

Nobody is told of what is put into one, so none of ours is handed out: those of modules are lent as
copies where they are asked for (`modules.py`), those of classes are of kinds that cannot change.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from minigrad.core.modes import state

KINDS = frozenset(
    [
        list, dict, set, bytearray, deque, Counter, OrderedDict, defaultdict, WeakKeyDictionary,
        WeakSet, WeakValueDictionary,
    ]
)  # fmt: skip
State = type(state)  # what autograd remembers
FIXED: dict[type, Any] = {
    list: tuple,
    set: frozenset,
    dict: lambda names: MappingProxyType(dict(names)),
}


def copy(value):
    """One of its own; of tuples, lists and dicts also of what is in them."""
    kind = type(value)
    if kind is State:  # of another thread, as it were
        return kind()
    if kind is tuple:
        return tuple(map(copy, value)) if is_open(value) else value
    if kind not in KINDS:
        return value
    if kind is dict:
        return {key: copy(one) for key, one in value.items()}
    return list(map(copy, value)) if kind is list else value.copy()


def is_open(value):
    """Whether somebody could write into it, or into what is in it."""
    return type(value) in (State, *KINDS) or type(value) is tuple and any(map(is_open, value))


def fix(cls):
    """Let the class have its lists, dicts and sets as kinds that cannot be changed."""
    for name, value in list(vars(cls).items()):
        kind = type(value)
        if kind in FIXED and not name.startswith("__") and name != "_fields_":
            type.__setattr__(cls, name, FIXED[kind](value))
