"""Names of modules that are written by a way that no class sees: in the dict itself.

Whenever code of a learner's has ended it is looked whether all modules' functions and classes are
those that they were. Up to Python 3.13 a dict has a number that is another one after each write: so
only what was written to is looked at, and of the builtins a change is seen also if it was undone
meanwhile.
"""

from __future__ import annotations

import sys
from ctypes import c_uint64
from types import ModuleType

from course.sandbox.guard import exact
from course.trying import calls

VERSION = 24  # where a dict has that number, in bytes
OPEN = {"stdin", "stdout", "stderr", "displayhook", "excepthook", "_"}  # of sys, builtins


class Kept:
    """What a module's names stand for, as far as they can be called or are modules."""

    def __init__(self, name, names, numbered):
        self._name, self._names = name, names
        self._version = _version(names) if numbered else None
        self.keep()

    def keep(self):
        self._at = None if self._version is None else self._version.value
        names = self._names.keys() - OPEN
        self._had = {name: self._names[name] for name in names if _is_kept(self._names[name])}

    def changed(self):
        """The full names of those that stand for something else since it was last asked."""
        if self._version is not None and self._version.value == self._at:
            return []
        found = [key for key, one in self._had.items() if self._names.get(key) is not one]
        if self._version is not None and self._name == "builtins":
            found = found or ["__dict__"]
        self.keep()
        return [f"{self._name}.{key}" for key in found]


def _is_kept(thing):
    return callable(thing) or exact.is_a(thing, ModuleType)


def watch(asker, modules):
    """A function that changes a module in a way that has been told, on behalf of a frame."""
    numbered = _numbered()
    there = [(name, module) for name, module in modules if exact.is_a(module, ModuleType)]
    every = {id(module): Kept(name, vars(module), numbered) for name, module in there}

    def look_at(kept, frame):
        for name in kept.changed():
            asker.see(f"replaces {name}", frame)

    def look():
        frame = sys._getframe(1)
        for kept in every.values():
            look_at(kept, frame)

    def change(frame, how, module, *given):
        kept = every.get(id(module))
        if kept:
            look_at(kept, frame)
        how(module, *given)
        if kept:
            kept.keep()

    calls.after.append(look)
    return change


def _version(names):
    return c_uint64.from_address(id(names) + VERSION)


def _numbered():
    """Whether a dict of this Python has that number."""
    names, seen = {"one": 1}, set()
    for value in 1, 2, 1:
        names["one"] = value
        seen.add(_version(names).value)
    return len(seen) == 3
