"""One version counter for tensors whose bytes were parted: `x.data = y` leaves x its counter.

A Storage has its version in a slot. Here that slot holds a list of one number instead, which
several Storages share; nothing else that reads `storage.version` need know of it.
"""

from __future__ import annotations

from typing import Any

from minigrad.core.storage import Alias, Storage

_slot: Any = Storage.__dict__["version"]


def _read(storage) -> int:
    return _slot.__get__(storage)[0]


def _write(storage, version: int) -> None:
    _slot.__get__(storage)[0] = version


class Counted(Storage):
    """A Storage that counts its versions together with others."""

    __slots__ = ()
    version = property(_read, _write)  # type: ignore[assignment]


class CountedAlias(Alias):
    """An Alias that does."""

    __slots__ = ()
    version = property(_read, _write)  # type: ignore[assignment]


def seen_apart(storage: Storage, other: Storage | None = None) -> Any:
    """The same bytes under a version counter of their own, or under that of `other`."""
    alias = storage.apart(storage.owner)
    return alias if other is None or not other.counts else _together(alias, other)


def _together(alias: Any, other):
    """The alias, counting its versions with another; one that cannot goes on from there."""
    if not alias.counts:
        alias.version = other.version
        return alias
    if not isinstance(other, (Counted, CountedAlias)):
        version = [other.version]
        other.__class__ = CountedAlias if isinstance(other, Alias) else Counted
        _slot.__set__(other, version)
    alias.__class__ = CountedAlias
    _slot.__set__(alias, _slot.__get__(other))
    return alias
