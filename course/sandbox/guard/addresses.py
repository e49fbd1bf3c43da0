"""Numbers that NumPy takes for addresses: an object's `__array_interface__` may give any.

Whatever object that is, and however it answers, NumPy has Python make a pointer of the number. So
the place in NumPy's own table where that function stands has one that looks who asks.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from importlib import import_module

import numpy as np

POINTER = ctypes.c_void_p
OF_NUMPY = "numpy.lib._stride_tricks_impl"  # gives what it was given, and is watched itself
OF_OURS = "minigrad.core.storage.exported"  # an array of ours
_kept: list = []  # what NumPy calls has to live for ever


def watch(asker, beyond):
    """From now on it is told who has an array made of an address."""
    make = ctypes.PYFUNCTYPE(POINTER, ctypes.py_object)(("PyLong_AsVoidPtr", ctypes.pythonapi))
    met = [0]

    @ctypes.PYFUNCTYPE(POINTER, ctypes.py_object)
    def pointer(number):
        met[0] += 1
        frame = sys._getframe(1)
        if asker.library(frame) != OF_NUMPY and asker.place_of(frame) != OF_OURS:
            asker.see(beyond, frame)
        return make(number)

    _ask_for_one()  # before its first call a table need not have it
    _put(_address(ctypes.pythonapi.PyLong_AsVoidPtr), _address(pointer))
    _kept.append(pointer)
    _ask_for_one()
    if met != [1]:
        raise RuntimeError("this NumPy makes a pointer of a number in another way")


def _address(function):
    return ctypes.cast(function, POINTER).value


def _ask_for_one():
    there = np.zeros(1)

    class Shown:
        __array_interface__ = there.__array_interface__

    np.asarray(Shown())


def _put(old, new):
    """In the tables of NumPy's that have this function, put the other in its place."""
    file = import_module("numpy._core._multiarray_umath").__file__
    mapped = os.path.realpath(str(file))  # an environment may be made of links
    with open("/proc/self/maps") as maps:
        parts = [line.split(maxsplit=5) for line in maps if line.rstrip().endswith(mapped)]
    for bounds, may, *_ in parts:
        if may.startswith("r") and "x" not in may:
            first, end = (int(bound, 16) for bound in bounds.split("-"))
            words = _words(first, end - first)
            for place in np.flatnonzero(words == old):
                _write(first + int(place) * words.itemsize, new, "w" in may)


def _words(first, size):
    """The memory there, a whole number of pages."""
    return np.frombuffer((ctypes.c_char * size).from_address(first), np.uintp)


def _write(place, word, writeable):
    page, protect = place & -mmap.PAGESIZE, ctypes.CDLL(None).mprotect
    protect.argtypes = [POINTER, ctypes.c_size_t, ctypes.c_int]
    if not writeable:
        protect(page, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE)
    POINTER.from_address(place).value = word
    if not writeable:
        protect(page, mmap.PAGESIZE, mmap.PROT_READ)
