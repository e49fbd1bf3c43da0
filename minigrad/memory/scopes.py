"""A demonstration whose names, and so whose bytes, end with its block."""

from __future__ import annotations

from minigrad.core.frames import caller


class scope:
    """`with memory.scope():` names that the block makes at the top level are deleted after it.

    In a function there is nothing to do: its names end with the call.
    """

    def __enter__(self):
        frame = caller()
        self.namespace = frame.f_globals if frame.f_locals is frame.f_globals else None
        self.before = set(self.namespace or ())
        return self

    def __exit__(self, *exc):
        if self.namespace is not None:
            for name in set(self.namespace) - self.before:
                del self.namespace[name]
        self.namespace = None
