"""A class's names are shown by a proxy, which Python's own comparisons see through: what the proxy
is compared with, or joined to by `|`, is handed the dict itself. Here it is handed a copy.
"""

from __future__ import annotations

import ctypes
import gc
import operator
from types import MappingProxyType

from course.sandbox.guard.layout import replace

COMPARED = "lt", "le", "eq", "ne", "gt", "ge"
NUMBERS, COMPARES = 12, 25  # where a class has its functions, in words
OR = 15  # and where these have the one for `|`
_inside = gc.get_referents


def watch():
    for name in COMPARED:
        replace(MappingProxyType, f"__{name}__", _compared(getattr(operator, name)))
    replace(MappingProxyType, "__or__", lambda proxy, other: _shown(proxy) | _shown(other))
    replace(MappingProxyType, "__ror__", lambda proxy, other: _shown(other) | _shown(proxy))
    ours, theirs = (_words(cls) for cls in (_Asks, MappingProxyType))
    theirs[COMPARES] = ours[COMPARES]
    _at(theirs[NUMBERS])[OR] = _at(ours[NUMBERS])[OR]
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(MappingProxyType))
    if vars(_Asks) == (seen := _Seen()) or seen.names is _inside(vars(_Asks))[0]:
        raise RuntimeError("this Python lays out a class in another way")


class _Asks:
    """Any class whose comparisons and `|` are looked up by name: Python has functions for that."""

    def __eq__(self, other):
        return NotImplemented

    def __or__(self, other):
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


class _Seen:
    names: object = None

    def __eq__(self, names):
        self.names = names
        return False

    __hash__ = None  # type: ignore[assignment]


def _compared(compare):
    def compared(proxy, other):
        return compare(_shown(proxy), _shown(other))

    return compared


def _shown(thing):
    """What a proxy shows, as a copy if it is a dict's; another thing is itself."""
    if type(thing) is not MappingProxyType:
        return thing
    (names,) = _inside(thing)
    return dict(names) if type(names) is dict else names


def _words(cls):
    return _at(id(cls))


def _at(address):
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
