"""Every data byte that numpy allocates, told by numpy itself.

A memory handler of our own (NEP 49) stands in numpy's place for a while: it hands out libc's
memory and adds up the sizes. It knows nothing of tensors, so it can judge a ledger of theirs.

NumPy also frees while an error of its own is on its way, and no function written in Python survives
that: the error is lost, and a SystemError comes in its place. So what is freed is put on a list, by
a function written in C, and counted and given back before the next bytes are handed out.
"""

import ctypes
import functools
import sys
from contextvars import ContextVar
from importlib import import_module

from course.trying import lines

SET_HANDLER = 304  # PyDataMem_SetHandler's place in numpy's C API, since 1.22
_numpy = import_module("numpy._core._multiarray_umath")
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
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

    What is freed later is taken off again, from the count that it was in.
    """

    def __init__(self):
        self._live = self.peak = 0

    @property
    def live(self):
        _give_back()
        return self._live

    def __enter__(self):
        _give_back()
        self.outer = _counting.set(self)
        self.before = _set_handler(_capsule(ctypes.addressof(_handler()), b"mem_handler", None))
        return self

    def __exit__(self, *exc):
        _set_handler(self.before)
        _counting.reset(self.outer)


# -- the handler: an array remembers it as long as it lives, so there is one, for ever --

_counting: ContextVar = ContextVar(
    "the NumpyBytes that counts, as numpy's handler is", default=None
)


def counts_in(context):
    """Whether arrays that are made in that context are counted as they are here."""
    return context.get(_counting) is _counting.get()


# Address -> bytes, the NumpyBytes that they are in, and whether a learner's line asked for them.
_sizes: dict = {}


def is_engines(array):
    """Whether its memory was allocated since counting began, and by no line of a learner's."""
    found = _sizes.get(array.__array_interface__["data"][0])
    return found is not None and not found[2]


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
    append = ctypes.cast(ctypes.pythonapi.PyList_Append, FREE)  # to the list, no size is asked for
    return Handler(b"counting", 1, id(_freed), *calls, append)


def _count(pointer, size):
    counting = _counting.get()
    if counting is not None:
        counting._live += size
        counting.peak = max(counting.peak, counting._live)
        _sizes[pointer] = size, counting, lines.asks_numpy(sys._getframe(2))
    return pointer


def _forget(pointer):
    """The NumpyBytes that these bytes were in."""
    size, counting, _ = _sizes.pop(pointer, (0, None, False))
    if counting is not None:
        counting._live -= size
    return counting


def _malloc(ctx, size):
    """Without what was there before: an array that has died may have left its numbers."""
    _give_back()
    return _count(_libc().calloc(max(size, WORD), 1), size)


def _calloc(ctx, n, size):
    _give_back()
    return _count(_libc().calloc(max(n * size, WORD), 1), n * size)


def _realloc(ctx, pointer, size):
    """What has grown stays where it was counted."""
    _give_back()
    counting = _forget(pointer)
    found = _libc().realloc(pointer, max(size, WORD))
    if counting is not None:
        counting._live += size
        counting.peak = max(counting.peak, counting._live)
        _sizes[found] = size, counting, lines.asks_numpy(sys._getframe(1))
    return found


# -- what NumPy has freed: Python takes it for objects, and adds one to the first word of each --


class List(ctypes.Structure):
    """PyListObject."""

    _fields_ = [("holders", SIZE), ("kind", POINTER), ("size", SIZE),
                ("items", ctypes.POINTER(POINTER))]  # fmt: skip


_freed: list = []
_as_list = List.from_address(id(_freed))


def _hide_list():
    """Nobody shall look at what is no object, nor let go of it: the collector, or Python's end."""
    ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(_freed))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_freed))
    _freed.append(_freed)
    if (_as_list.size, _as_list.items[0]) != (1, id(_freed)):
        raise RuntimeError("this Python lays out a list in another way")
    _as_list.size = 0


def _give_back():
    """Give it back to libc, and take it off its count."""
    while _as_list.size:
        # No call is among these lines, so no other thread comes between them.
        last = _as_list.size - 1
        pointer = _as_list.items[last]
        _as_list.size = last
        _forget(pointer)
        _libc().free(pointer)


_hide_list()
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [POINTER, ctypes.c_char_p, POINTER]


def _set_handler(capsule):
    """Put a handler in place; returns the one before."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = POINTER, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_numpy._ARRAY_API, None), ctypes.POINTER(POINTER))
    call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])
    return call(capsule)
