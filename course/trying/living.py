"""Things that are known by their identity for as long as they live.

What has died leaves nothing here: the books of a meter are memory of Python's, too, and would be
held against an answer that makes many tensors and drops each of them.
"""

from typing import Any
from weakref import ref

from course.trying.lines import identity


class _Entry(ref):
    """A weak reference that knows the identity of what has died."""

    __slots__ = ("key",)
    key: int


class Living:
    """A set of things, by identity, that keeps none of them alive."""

    def __init__(self):
        found: dict[int, _Entry] = {}

        def forget(entry: Any):  # a method would lead from each entry to here
            key = entry.key
            if found.get(key) is entry:
                del found[key]

        self._found, self._forget = found, forget

    def add(self, thing):
        entry = _Entry(thing, self._forget)
        entry.key = identity(thing)
        self._found[entry.key] = entry

    def __len__(self):
        return len(self._found)

    def has(self, thing):
        return self._found.get(identity(thing), bool)() is thing

    def remove(self, others):
        """Whatever is among the others, too."""
        for entry in list(others._found.values()):
            thing = entry()
            if thing is not None and self.has(thing):
                del self._found[entry.key]

    def clear(self):
        self._found.clear()
