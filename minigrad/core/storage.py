"""A Storage owns the bytes of one buffer; the ledger is the sum over the Storages that live.

There is nothing else to count: a tensor, its views and its detached twins hold the same
Storage, and when the last of them lets go, Python deletes it and the ledger falls, at once.
This file knows no graph and no gradient.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from numpy import asarray, ndarray

from minigrad.core import observer
from minigrad.core.arrays import address

live = 0  # bytes of all living Storages
peak = 0  # the most that `live` has been since `reset_peak`


class Storage:
    """The owner of one array's bytes, and the version counter that everyone who shares it sees.

    An in-place write adds 1 to `version`; a saved tensor whose version moved on is refused.
    """

    __slots__ = ("array", "bytes", "version", "__weakref__")
    array: Any
    bytes: int
    version: int
    counts = True
    apart: Any  # of the storage that `.data` gets

    def __del__(self):
        global live
        live -= self.bytes
        if observer.watching:  # a loop over nobody would take as long as the line above
            for tell in observer.on_died:
                tell(self)

    def nbytes(self) -> int:
        """The size in bytes."""
        return self.array.nbytes

    size = nbytes

    @property
    def owner(self) -> Storage:
        """Who has the bytes and counts them: itself, unless it is an Alias."""
        return self

    def check_write(self) -> None:
        """Called before each write in place; a storage of another kind may refuse it."""

    def written(self) -> None:
        """Called after each write in place."""
        self.version += 1

    @property
    def stamp(self) -> int:
        """The version, for one who only wants to see whether it has moved."""
        return self.version

    def data_ptr(self) -> int:
        """The address of the first byte; 0 if there is none."""
        return address(self.array) if self.nbytes() else 0

    def resize_(self, size):
        raise NotImplementedError(
            "minigrad does not resize a storage; drop the last reference and the bytes go."
        )


def book(array) -> Storage:
    """A Storage for `array`'s bytes, entered in the ledger unless an observer refuses them.

    No `__init__`: a class without one is instantiated in half the time. A read and a write of
    `live` stand in one statement without a call between them, so that neither another thread nor
    a `__del__` can come in the middle (CPython with its lock).
    """
    global live, peak
    if array.base is not None:
        array = owner(array)
    size = array.nbytes
    for tell in observer.on_admit:
        tell(size)
    new = Storage()
    new.array = array
    new.version = 0
    new.bytes = size
    live += size
    if live > peak:
        peak = live
    for tell in observer.on_born:
        tell(new)
    return new


def pass_by(size: int) -> None:
    """Book so many bytes that are alive for a moment, inside of a rule, and no longer."""
    global peak
    for tell in observer.on_admit:
        tell(size)
    if live + size > peak:
        peak = live + size
    for tell in observer.on_passed:
        tell(size)


def owner(array):
    """The array whose bytes a view shows: the last one down the chain of `.base`."""
    found, base = array, array.base
    if base.__class__ is ndarray and base.base is None:  # most views are of an owner
        return base
    while (array := getattr(array, "base", None)) is not None:
        found = array if hasattr(array, "astype") else found  # else a foreign owner
    return found


class Alias(Storage):
    """The same bytes under another version counter: what `.data` hands out. Books nothing."""

    __slots__ = ("_owner",)
    owner = property(attrgetter("_owner"))

    def __init__(self, owner: Storage):
        self._owner = owner  # keeps the bytes alive, and counted, once
        self.array = owner.array
        self.version = 0
        self.bytes = 0


Storage.apart = Alias


class Exported:
    """What a numpy array made by `.numpy()` holds on to, so that its bytes stay counted."""

    def __init__(self, storage, array):
        self._storage = storage
        self.__array_interface__ = array.__array_interface__


def exported(storage, array):
    """A numpy array of the same bytes, which holds on to the storage."""
    return asarray(Exported(storage, array))


def reset_peak() -> None:
    """Let `peak` start again from what lives now."""
    global peak
    peak = live
