"""What NumPy believes of the layout of an array's items.

A pickle sets all that a dtype has, and nobody looks whether it fits: fields may lie anywhere, and
numbers be taken for objects. A dtype with objects, of a record's or a number's fields would become
what it is only then, as one that reaches beyond its memory does. So these are pickled here as what
makes them at once.
"""

from __future__ import annotations

import functools
import sys

import numpy as np

from course.sandbox.guard import exact
from course.sandbox.guard.layout import replace

ALIGNED = 0x80  # of a dtype's flags: how it came about, not what it has


def watch(asker, beyond):
    _watch_states(asker, beyond)
    reduce = vars(np.dtype)["__reduce__"]

    def __reduce__(kind):
        return reduce(kind) if _is_plain(kind) else _by_parts(kind)

    replace(np.dtype, "__reduce__", __reduce__)


def _watch_states(asker, beyond):
    change = vars(np.dtype)["__setstate__"]

    def __setstate__(kind, state):
        before = kind.itemsize, kind.hasobject
        fits = not kind.isbuiltin  # else it is everybody's
        try:
            change(kind, exact.copy(state))
        finally:
            if not (fits and before == (kind.itemsize, kind.hasobject) and is_whole(kind)):
                asker.see(beyond, sys._getframe(1))

    replace(np.dtype, "__setstate__", __setstate__)


def _is_plain(kind):
    """Whether no state of its could be a hostile one's."""
    return not _has_parts(kind) or kind.type is np.void and not kind.hasobject


def _has_parts(kind):
    return kind.fields is not None or kind.subdtype is not None


def _by_parts(kind):
    """What makes it: the arguments of `np.dtype`."""
    make = functools.partial(np.dtype, metadata=dict(kind.metadata)) if kind.metadata else np.dtype
    if kind.subdtype is not None:
        return make, (kind.subdtype,)
    if kind.type is np.void:
        return make, (_fields_of(kind), kind.isalignedstruct)
    whole = kind.type if issubclass(kind.type, np.void) else kind.str
    return make, ((whole, np.dtype(_fields_of(kind), kind.isalignedstruct)),)


def _fields_of(kind):
    rows = [kind.fields[name] for name in kind.names]
    if {id(row[0]) for row in rows} != {id(row[0]) for row in kind.fields.values()}:
        raise ValueError("one has a title only")
    found = {
        "names": list(kind.names),
        "formats": [row[0] for row in rows],
        "offsets": [row[1] for row in rows],
        "itemsize": kind.itemsize,
    }
    titles = [row[2] if len(row) > 2 else None for row in rows]
    return found | ({"titles": titles} if any(titles) else {})


def is_whole(kind):
    """Whether it is what numpy would make of its parts."""
    try:
        make, given = _by_parts(kind) if _has_parts(kind) else (np.dtype, (kind.str,))
        again = make(*given)
    except (TypeError, ValueError, KeyError):
        return False
    same = again.itemsize == kind.itemsize and (again.flags ^ kind.flags) & ~ALIGNED == 0
    return same and all(map(is_whole, _parts_of(kind)))


def _parts_of(kind):
    if kind.subdtype is not None:
        return [kind.subdtype[0]]
    return [row[0] for row in (kind.fields or {}).values()]
