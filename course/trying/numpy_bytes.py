"""Every data byte that numpy allocates, told by numpy itself.

A memory handler of our own (NEP 49) stands in numpy's place for a while: it hands out libc's
memory and adds up the sizes. It knows nothing of tensors, so it can judge a ledger of theirs.

NumPy also frees while an error of its own is on its way, and no function written in Python survives
that: the error is lost, and a SystemError comes in its place. So what is freed is put into a table,
by a function written in C, and counted and given back before the next bytes are handed out.
"""

import ctypes
import functools
import sys
from contextvars import ContextVar
from importlib import import_module

import numpy as np

from course.trying import lines

SET_HANDLER = 304  # PyDataMem_SetHandler's place in numpy's C API, since 1.22
_numpy = import_module("numpy._core._multiarray_umath")
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
FEW = 50  # arrays that have been freed: to find them takes as long as to find one
WORD = ctypes.sizeof(POINTER)
MALLOC = ctypes.CFUNCTYPE(POINTER, POINTER, SIZE)
CALLOC = ctypes.CFUNCTYPE(POINTER, POINTER, SIZE, SIZE)
REALLOC = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, SIZE)
FREE = ctypes.CFUNCTYPE(None, POINTER, POINTER, SIZE)


class Handler(ctypes.Structure):
    """PyDataMem_Handler."""

    _fields_ = [
        ("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("ctx", POINTER),
        ("malloc", MALLOC), ("calloc", CALLOC), ("realloc", REALLOC), ("free", FREE),
    ]  # fmt: skip


class NumpyBytes:
    """`with NumpyBytes() as bytes:` counts what is allocated inside: `live` and `peak`.

    What is freed later is taken off again, from the count that it was in. `lasting` is the peak
    without what rules of the engine had for themselves while they ran, as they declare it.
    """

    def __init__(self, peaks=True):
        """If nobody asks for its peak, it takes half of the time."""
        self._live, self.peak = 0, 0 if peaks else float("inf")
        self.lasting = self.peak
        self._within = self._largest = 0  # since it was settled: the engine's peak, and array

    @property
    def live(self):
        _give_back()
        return self._live

    def counted(self, size, of_engine):
        """So many bytes were allocated, by a line of the engine's perhaps."""
        self._live += size
        self.peak = max(self.peak, self._live)
        if of_engine:
            self._within = max(self._within, self._live)
            self._largest = max(self._largest, size)
        else:
            self.lasting = max(self.lasting, self._live)

    def settle(self, arrays=0):
        """The engine has come to an end, with a rule that may have had so many arrays, as large as
        its largest, for itself. What is there still is counted."""
        within = self._within - int(arrays * self._largest)
        self.lasting = max(self.lasting, self.live, within)
        self._within = self._largest = 0

    def back(self, peaks):
        """To what `peaks` were: PyTorch needs no array for what is written."""
        self.peak, self.lasting = peaks
        self._within = self._largest = 0

    def __enter__(self):
        _give_back()
        self.before = _set_handler(_ours())
        self.outer = _handles.set(True)
        _at_work.append(self)
        return self

    def __exit__(self, *exc):
        _at_work.remove(self)
        _handles.reset(self.outer)
        _set_handler(self.before)


# -- the handler: an array remembers it as long as it lives, so there is one, for ever --

# As numpy's handler is, which a context has: a thread begins with another one.
_handles: ContextVar = ContextVar("whether NumPy asks the handler", default=False)
_at_work: list = []  # the innermost NumpyBytes last: it counts, in all threads


def counts_in(context):
    """Whether arrays that are made in that context are counted, if they are here."""
    return context.get(_handles, False) or not _handles.get()


def count_here():
    """From now on arrays of this context are counted, too, while somebody counts; and NumPy tells
    as little of a nan as it does where the engine was imported."""
    _set_handler(_ours())
    _handles.set(True)
    np.seterr(all="ignore")


# Address -> bytes, the NumpyBytes that they are in, and whether a learner's line asked for them.
_sizes: dict = {}


def is_engines(array, counts):
    """Whether its memory is in one of these counts, and no line of a learner's asked for it."""
    found = _sizes.get(array.__array_interface__["data"][0])
    return found is not None and not found[2] and any(found[1] is one for one in counts)


@functools.cache
def _libc():
    libc = ctypes.CDLL(None)
    libc.calloc.restype = libc.realloc.restype = POINTER
    libc.calloc.argtypes = [SIZE, SIZE]
    libc.realloc.argtypes, libc.free.argtypes = [POINTER, SIZE], [POINTER]
    return libc


@functools.cache
def _handler():
    calls = MALLOC(_malloc), CALLOC(_calloc), REALLOC(_realloc)
    put = ctypes.cast(ctypes.pythonapi._Py_hashtable_set, FREE)  # the address, with the size
    return Handler(b"counting", 1, _at, *calls, put)


@functools.cache  # a context shows it, and another one would tell that something has begun
def _ours():
    return _capsule(ctypes.addressof(_handler()), b"mem_handler", None)


def _innermost():
    return _at_work[-1] if _at_work else None


def _count(pointer, size, counting):
    if counting is not None:
        frame = lines.beyond_numpy(sys._getframe(2))
        counting.counted(size, lines.of_engine(frame))
        _sizes[pointer] = size, counting, lines.asks_numpy(frame)
    return pointer


def _forget(pointer):
    """The NumpyBytes that these bytes were in."""
    size, counting, _ = _sizes.pop(pointer, (0, None, False))
    if counting is not None:
        counting._live -= size
    return counting


def _make_room(size):
    """Give back what NumPy has freed if it is much, or so many bytes more might be a new peak."""
    counting = _innermost()
    if _table.count > FEW or counting is None or counting._live + size > counting.lasting:
        _give_back()


def _malloc(ctx, size):
    """Without what was there before: an array that has died may have left its numbers."""
    _make_room(size)
    return _count(_libc().calloc(max(size, WORD), 1), size, _innermost())


def _calloc(ctx, n, size):
    _make_room(n * size)
    return _count(_libc().calloc(max(n * size, WORD), 1), n * size, _innermost())


def _realloc(ctx, pointer, size):
    """What has grown stays where it was counted."""
    _give_back()
    counting = _forget(pointer)
    return _count(_libc().realloc(pointer, max(size, WORD)), size, counting)


# -- what NumPy has freed, in a table of Python's own: addresses, NULL perhaps, and sizes --


class Entry(ctypes.Structure):
    """_Py_hashtable_entry_t."""

    _fields_ = [("next", POINTER), ("hash", SIZE), ("address", POINTER), ("size", POINTER)]


class Table(ctypes.Structure):
    """The beginning of a _Py_hashtable_t."""

    _fields_ = [
        ("count", SIZE), ("rows", SIZE), ("first", ctypes.POINTER(ctypes.POINTER(Entry))),
    ]  # fmt: skip


def _new_table():
    """Its address. It lives for ever; its memory is libc's, for which no thread need wait."""
    python = ctypes.pythonapi
    new, steal = python._Py_hashtable_new_full, python._Py_hashtable_steal
    new.restype = steal.restype = POINTER
    new.argtypes, steal.argtypes = [POINTER] * 5, [POINTER] * 2
    names = "_Py_hashtable_hash_ptr", "_Py_hashtable_compare_direct"
    rules = [ctypes.cast(getattr(python, name), POINTER) for name in names]
    raw = [ctypes.cast(python[f"PyMem_Raw{name}"], POINTER).value for name in ("Malloc", "Free")]
    return new(*rules, None, None, (POINTER * 2)(*raw))


_at = _new_table()
_table = Table.from_address(_at)
_steal = ctypes.pythonapi._Py_hashtable_steal


def _give_back():
    """Give it back to libc, and take it off its count."""
    while _table.count:
        row = 0
        while row < _table.rows:
            # From the test of the row to the address is no call, so that no thread comes between.
            entry = _table.first[row]
            if not entry:
                row += 1
                continue
            address = entry.contents.address
            if _steal(_at, address) and address:
                _forget(address)
                _libc().free(address)


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [POINTER, ctypes.c_char_p, POINTER]


def _set_handler(capsule):
    """Put a handler in place; returns the one before."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = POINTER, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_numpy._ARRAY_API, None), ctypes.POINTER(POINTER))
    call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])
    return call(capsule)
