"""What a call may switch in Python, in NumPy and in the engine, to be put back when it has ended.

A hook that a call leaves behind hears what the case works out to compare, and a limit it has set
makes another call fail. Modes of the engine are in `settled.py`. Traces, profiles and signals are
not here: a guard hears of them. Nor is the collector, which `collector.py` puts to rest: were that
done when a call returns, a thread would know of it. What a cell switches lasts: it is the learner's
for all calls.
"""

import gc
import sys
import threading
import warnings
from contextlib import contextmanager
from operator import is_not
from types import ModuleType
from typing import Any

import numpy as np

from minigrad.core import backend
from minigrad.core.dtypes import DEFAULTS
from minigrad.ops import printing
from minigrad.utils import switches

Pairs = tuple[tuple[Any, Any], ...]  # what tells, and what takes what was told
# The limit of recursion comes first: it is needed to put the others back.
FUNCTIONS: Pairs = (
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.getswitchinterval, sys.setswitchinterval),
    (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    (threading.stack_size, threading.stack_size),
    (np.getbufsize, np.setbufsize),
    (np.geterrcall, np.seterrcall),
    (lambda: len(DEFAULTS), lambda count: DEFAULTS.__delitem__(slice(count, None))),
    (backend.get_default_device, backend.set_default_device),
)
_threshold, _set_threshold = gc.get_threshold, gc.set_threshold
TABLES: Pairs = (  # the same of several values by their names
    (lambda: dict(enumerate(_threshold())), lambda **new: _set_threshold(*new.values())),
    (np.geterr, np.seterr),
    (np.get_printoptions, np.set_printoptions),
    (lambda: {**vars(printing.options)}, vars(printing.options).update),
)
ABSENT = object()
NAMES: tuple[tuple[ModuleType, str], ...] = (
    (sys, "excepthook"), (sys, "unraisablehook"), (sys, "displayhook"), (sys, "tracebacklimit"),
    (threading, "excepthook"), (warnings, "showwarning"), (warnings, "filters"),
    (switches, "_threads"), (switches, "_deterministic"),
)  # fmt: skip


class Switches:
    """What they are set to, to be put back. Values are known by identity: no learner's is asked."""

    def __init__(self):
        self._told = [tell() for tell, _ in FUNCTIONS]
        self._tables = [tell() for tell, _ in TABLES]
        self._names = [vars(module).get(name, ABSENT) for module, name in NAMES]
        self._filters = tuple(warnings.filters)

    def put_back(self):
        """Set what is another now."""
        for (tell, put), before in zip(FUNCTIONS, self._told, strict=True):
            if not _same(tell(), before):
                put(before)
        for (tell, put), table in zip(TABLES, self._tables, strict=True):
            now = tell()
            if any(not _same(now.get(name, ABSENT), before) for name, before in table.items()):
                put(**{str(name): before for name, before in table.items()})
        for (module, name), before in zip(NAMES, self._names, strict=True):
            if vars(module).get(name, ABSENT) is not before:
                delattr(module, name) if before is ABSENT else setattr(module, name, before)
        self._put_filters()

    def _put_filters(self):
        module: Any = warnings
        filters, before = module.filters, self._filters
        if len(filters) != len(before) or any(map(is_not, filters, before)):
            filters[:] = before
            module._filters_mutated()


@contextmanager
def kept():
    """What the block switches is as it was when the block ends."""
    before = Switches()
    try:
        yield
    finally:
        before.put_back()


def _same(now, before):
    plain = type(now) is type(before) and type(now) in (int, float, bool, str)
    return now is before or (plain and now == before)
