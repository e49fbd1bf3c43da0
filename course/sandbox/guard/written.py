"""Names of modules that are written by a way that no class sees: in the dict itself.

Python counts how often a dict is written to. So whenever code of a learner's has ended it is looked
whether all modules' functions and classes are those that they were. Of the builtins a change is
seen also if it was undone meanwhile.
"""

from __future__ import annotations

import sys
from ctypes import c_uint64
from types import ModuleType

from course.sandbox.guard import exact
from course.trying import calls

VERSION = 24  # where a dict has the count, in bytes
OPEN = {"stdin", "stdout", "stderr", "displayhook", "excepthook", "_"}  # of sys, builtins


class Kept:
    """What a module's names stand for, as far as they can be called or are modules."""

    def __init__(self, name, names):
        self._name, self._names = name, names
        self._version = c_uint64.from_address(id(names) + VERSION)
        self.keep()

    def keep(self):
        self._at, names = self._version.value, self._names.keys() - OPEN
        self._had = {name: self._names[name] for name in names if _is_kept(self._names[name])}

    def changed(self):
        """The full names of those that stand for something else since it was last asked."""
        if self._version.value == self._at:
            return []
        found = [key for key, one in self._had.items() if self._names.get(key) is not one]
        if self._name == "builtins":
            found = found or ["__dict__"]
        self.keep()
        return [f"{self._name}.{key}" for key in found]


def _is_kept(thing):
    return callable(thing) or exact.is_a(thing, ModuleType)


def watch(asker, modules):
    """A function that changes a module in a way that has been told, on behalf of a frame."""
    _require_known()
    there = [(name, module) for name, module in modules if exact.is_a(module, ModuleType)]
    every = {id(module): Kept(name, vars(module)) for name, module in there}

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


def _require_known():
    names = {"one": 1}
    version = c_uint64.from_address(id(names) + VERSION)
    before = version.value
    names["one"] = 2
    between = version.value
    names["one"] = 1
    if len({before, between, version.value}) != 3:
        raise RuntimeError("this Python lays out a dict in another way")
