"""What a learner's object is, as Python's own code in C sees it; nothing of theirs is asked.

A text of a class of theirs may say one thing where the guard asks, and another where it is used.
So the guard decides by an exact copy, and hands on the copy where it can.
"""

from __future__ import annotations

from types import FunctionType

_the_text, _the_number = str.__str__, int.__int__
_some_bytes, _some_parts = bytes.__getitem__, tuple.__getitem__
_all = slice(None)
_module_of = type.__dict__["__module__"].__get__
_name_of = type.__dict__["__qualname__"].__get__


def is_a(thing, cls):
    """isinstance(), which would ask the thing itself for its class."""
    return issubclass(type(thing), cls)


def text(thing):
    """The characters; a TypeError if it is no text."""
    return thing if type(thing) is str else _the_text(thing)


def text_or(thing, other):
    """The characters, or that other one."""
    return text(thing) if is_a(thing, str) else other


def path(thing):
    """The text, bytes or number of what is opened; None if it is nothing that Python opens."""
    if is_a(thing, str):
        return text(thing)
    if is_a(thing, bytes):
        return _some_bytes(thing, _all)
    return _the_number(thing) if is_a(thing, int) else None


def number(thing):
    """The whole number; a TypeError if it is none."""
    return _the_number(thing)


def parts(thing):
    """The tuple; a TypeError if it is none."""
    return _some_parts(thing, _all)


def module_of(cls):
    """The name of the module that the class says it is of; no metaclass is asked."""
    return text_or(_module_of(cls), "")


def named(thing):
    """Of a class or function its name, of another thing its class's."""
    if is_a(thing, type):
        return _name_of(thing)[:60]
    return text(thing.__qualname__ if type(thing) is FunctionType else _name_of(type(thing)))[:60]


def copy(thing):
    """A copy that nobody else has, of exact tuples, dicts, texts and numbers."""
    if is_a(thing, tuple):
        return tuple(map(copy, parts(thing)))
    if is_a(thing, dict):
        return {text_or(key, key): copy(value) for key, value in dict.items(thing)}
    plain = path(thing)
    return thing if plain is None else plain
