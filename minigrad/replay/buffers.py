"""A buffer handed out as a tensor: who still holds it when it is overwritten gets a copy."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from minigrad.core.node import NOWHERE
from minigrad.core.storage import Alias, Storage, book
from minigrad.core.tensor import Tensor
from minigrad.replay.tape import ReplayError

HELD_BY_VIEW = (
    "a view or a numpy array of an earlier result is still in use, and the next replay would "
    "overwrite it: clone() the result before you look at it that way, or let it go"
)


class Lent:
    """One buffer, and the tensor that shows it to the program at present."""

    def __init__(self, array, storage: Storage):
        self.array, self.storage = array, storage
        self.last: Any = lambda: None  # weak: the program decides how long it lives
        self.bytes: Any = lambda: None  # weak: of the Alias that it shares with its views
        self.alone = 0  # references to that Alias if no view has one
        self.older: Any = None  # a second buffer, once a gradient has had to be added to

    def lend(self):
        """A new tensor on the buffer; the ledger counts the buffer's Storage alone."""
        out: Any = object.__new__(Tensor)
        out._array, out._edge = self.array, NOWHERE
        alias = out._storage = Alias(self.storage)
        self.last, self.bytes, self.alone = weakref.ref(out), weakref.ref(alias), _count(alias)
        return out

    def recall(self) -> None:
        """Before the buffer is overwritten: move the tensor, if it lives, to its own bytes."""
        alias = self.bytes()
        if alias is None:
            return
        tensor = self.last()
        if tensor is None or _count(alias) > self.alone:
            raise ReplayError(HELD_BY_VIEW)
        tensor._array = self.array.copy()
        tensor._storage = book(tensor._array)

    def keep_older(self) -> None:
        """Before the buffer is overwritten: remember a gradient that the next one is added to."""
        if self.older is None:
            self.older = self.array.copy()
        self.older[...] = self.array


_count = sys.getrefcount
