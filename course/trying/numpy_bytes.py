"""Every data byte that numpy allocates, told by numpy itself.

A memory handler of our own (NEP 49) stands in numpy's place for a while: it hands out libc's
memory and adds up the sizes. It knows nothing of tensors, so it can judge a ledger of theirs.

NumPy also frees while an error of its own is on its way, and no function written in Python survives
that: the error is lost, and a SystemError comes in its place. So it is kept here, as `lost`.
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
        self.live = self.peak = 0
        self.lost = None  # the last error of NumPy's that was on its way

    def __enter__(self):
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
    calls = MALLOC(_keeping(_malloc)), CALLOC(_keeping(_calloc)), REALLOC(_keeping(_realloc))
    return Handler(b"counting", 1, None, *calls, FREE(_keeping(_free)))


def _keeping(call):
    """That function, which first takes the error that is on its way: Python needs it gone."""

    def called(ctx, *given):
        _fetch(*_AT)
        error = _error() if _KIND.value else None
        return call(error, *given)

    return called


def _count(counting, error, pointer, size):
    if counting is not None:
        counting.lost = error or counting.lost
        counting.live += size
        counting.peak = max(counting.peak, counting.live)
        _sizes[pointer] = size, counting, lines.asks_numpy(sys._getframe(3))
    return pointer


def _forget(error, pointer):
    """The NumpyBytes that these bytes were in."""
    size, counting, _ = _sizes.pop(pointer, (0, None, False))
    if counting is not None:
        counting.lost = error or counting.lost
        counting.live -= size
    return counting


def _malloc(error, size):
    """Without what was there before: an array that has died may have left its numbers."""
    return _count(_counting.get(), error, _libc().calloc(size or 1, 1), size)


def _calloc(error, n, size):
    return _count(_counting.get(), error, _libc().calloc(n or 1, size or 1), n * size)


def _realloc(error, pointer, size):
    counting = _forget(error, pointer)
    return _count(counting, error, _libc().realloc(pointer, size or 1), size)


def _free(error, pointer, size):
    _forget(error, pointer)
    _libc().free(pointer)


# An error is of a kind, has a value, and a traceback: three places that Python writes to.
_KIND, _VALUE, _TRACEBACK = _PLACES = POINTER(), POINTER(), POINTER()
_AT = tuple(map(ctypes.byref, _PLACES))  # converted beforehand: that, too, would fail
_fetch = ctypes.pythonapi.PyErr_Fetch
_fetch.restype = None


def _error():
    """What was written to these places, as one error."""
    kind, value, _ = found = [_object(place.value) for place in _PLACES]
    for place, one in zip(_PLACES, found, strict=True):
        if one is not None:
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(one))
        place.value = None
    return value if isinstance(value, BaseException) else kind(value)


def _object(address):
    return ctypes.cast(address, ctypes.py_object).value if address else None


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [POINTER, ctypes.c_char_p, POINTER]


def _set_handler(capsule):
    """Put a handler in place; returns the one before."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = POINTER, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_numpy._ARRAY_API, None), ctypes.POINTER(POINTER))
    call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])
    return call(capsule)
