"""What the recorders of both engines note alike: one flat list, of each note kind, line, values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Noting:
    """`note(kind, *values)`: a growing list, from which `translate` makes events."""

    frame: Any
    finder: Any
    look: Callable

    def __init__(self):
        self.notes: list = []
        self.line = 0
        self.calls: tuple = ()  # numbers of the calls that the program is in, where it is stepped
        self.asked: Callable | None = None  # the function that is recorded, until it is over
        self.followers: list = []  # called after each birth of a storage, and at the end

    def note(self, kind, *values):
        self.notes += (kind, self.line, *values)

    def look_around(self):
        """Look now for who holds what, and for those who hold a number of things at most."""
        names = self.frame.f_globals
        self.finder.look_for_bounds(names)
        if self.finder.bounds:
            self.look(self.frame)
            self.finder.look(names)

    def tell_followers(self):
        for call in self.followers:
            call()

    def stand(self, line, calls):
        """The program is on this line, in these calls, and nothing begins."""
        self.line = line
        if calls != self.calls:
            self.calls = calls
            self.note("within", calls)

    def note_error(self, error, node=None):
        """What went wrong, where the program stood; once, however far it travels."""
        if getattr(error, "told_to", None) != id(self):
            error.told_to = id(self)  # on the error: a new one may get a dead one's address
            notes = tuple(getattr(error, "__notes__", ()))
            self.note("error", f"{type(error).__name__}: {error}", notes, node)
