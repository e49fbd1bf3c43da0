"""Where Python itself keeps what a class is: written to where Python refuses."""

from __future__ import annotations

import ctypes
import gc
from types import MemberDescriptorType

IMMUTABLE = 1 << 8  # of a class's flags: Python refuses to set its attributes
TYPE, FLAGS, NEW = 1, 21, 39  # where a class has its own class, its flags, its maker, in words
# Where a place of an object's (`__slots__`) has what is known of it, in words; there are its flags.
MEMBER, READONLY = 5, 1


def replace(cls, name, value):
    """Put it among the names of a built-in class, which Python itself refuses to change."""
    gc.get_referents(cls.__dict__)[0][name] = value
    modified(cls)


def freeze(cls):
    """Make the class immutable, as built-in ones are."""
    require_known(cls)
    word(cls, FLAGS).value |= IMMUTABLE
    modified(cls)


def is_frozen(cls):
    return bool(word(cls, FLAGS).value & IMMUTABLE)


def set_class(cls, kind):
    """Let a class be of another metaclass, which lives on for ever."""
    require_known(cls)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kind))
    word(cls, TYPE).value = id(kind)
    modified(cls)


def require_known(cls):
    if (word(cls, TYPE).value, word(cls, FLAGS).value) != (id(type(cls)), cls.__flags__):
        raise RuntimeError("this Python lays out a class in another way")


def word(thing, place):
    """The word of this class's, or thing's, own memory at this place."""
    return ctypes.c_void_p.from_address(id(thing) + place * ctypes.sizeof(ctypes.c_void_p))


def modified(cls):
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def with_all_below(cls, below=type.__subclasses__):
    """The class and all that derive from it, by whatever way."""
    found, new = {}, [cls]
    while new:
        one = new.pop()
        if id(one) not in found:
            found[id(one)] = one
            new += below(one)
    return list(found.values())


class _Member(ctypes.Structure):
    """PyMemberDef."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("type", ctypes.c_int), ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    ]  # fmt: skip


def fix_places(cls):
    """From now on nobody sets what this class's objects have in places of their own."""
    for name, place in vars(cls).items():
        if type(place) is MemberDescriptorType:
            member = _Member.from_address(word(place, MEMBER).value or 0)
            if member.name != name.encode():
                raise RuntimeError("this Python lays out a class in another way")
            member.flags |= READONLY
