"""What an object is and holds, read past its class: no code of the program is called.

A property, an `__iter__` or a `__class__` of the program's own may warn, raise or change something.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

SEQUENCES = list, tuple, deque
SETS = set, frozenset
PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None)})  # they hold nothing


def items(value, kinds=SEQUENCES + SETS) -> Iterator:
    """What a dict or one of these kinds holds, one by one, as the built-in kind gives it."""
    if issubclass(type(value), dict):
        return iter(dict.values(value))
    kind: Any = next((kind for kind in kinds if issubclass(type(value), kind)), None)
    return kind.__iter__(value) if kind else iter(())


def numbered(value) -> list:
    """(number, object) of what it holds that may lead on: a list of a million numbers is skipped
    as fast as it is read.
    """
    return [row for row in enumerate(items(value)) if type(row[1]) not in PLAIN]


def rows_of(value) -> list:
    """(key, object) of what a dict holds that may lead on."""
    return [row for row in dict.items(value) if type(row[1]) not in PLAIN]


def own_dict(value) -> dict:
    """Its attributes; a thread's own, of a threading.local."""
    own = threading.local if issubclass(type(value), threading.local) else object
    try:
        found = own.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


def of_class(kind, name):
    """An attribute of a class, such as `__module__`; None if it has none of this name."""
    try:
        return type.__getattribute__(kind, name)
    except AttributeError:
        return None


def of_error(error, name):
    """`args`, `__traceback__`, `__context__` or `__cause__` of an error."""
    return vars(BaseException)[name].__get__(error)
