"""Arrays of memory that is not their own: NumPy believes some of what it is told of a layout."""

from __future__ import annotations

import ctypes
import functools
import sys
from types import ModuleType
from typing import Any

import numpy as np

from course.sandbox.guard import addresses, dtypes, exact
from course.sandbox.guard.layout import NEW, modified, replace, with_all_below, word

BEYOND = "makes an array of memory that is not its own"
SHARED = (  # as numpy says it
    "cannot resize an array that references or is referenced\nby another object in this way.\n"
    "Use the np.resize function to get a new resized copy or\n set refcheck=False to disable "
    "this check"
)
_base_of, _size_of = (vars(np.ndarray)[name].__get__ for name in ("base", "size"))
_as_plain = np.ndarray.view


def watch(asker):
    _watch_strides(asker)
    addresses.watch(asker, BEYOND)
    dtypes.watch(asker, BEYOND)
    _watch_exchanges(asker)
    _hold_buffers()


def in_place_of(call):
    """functools.wraps(), but for the way back to `call`."""

    def named(function):
        functools.update_wrapper(function, call)
        vars(function).pop("__wrapped__")
        return function

    return named


# --- an array's strides ---------------------------------------------------------------------------


def _watch_strides(asker):
    """A view with strides of its own may reach any memory."""
    tricks = sys.modules["numpy.lib._stride_tricks_impl"]
    make, helper = vars(tricks)["as_strided"], vars(tricks)["DummyArray"]
    begin = helper.__init__

    @in_place_of(make)
    def as_strided(x, *given, **named):
        x = np.array(x, copy=None, subok=exact.is_a(x, np.ndarray))
        found = make(x, *given, **named)
        if _size_of(found) and not _is_in(found, x):
            asker.see(BEYOND, sys._getframe(1))
        return found

    def __init__(array, *given, **named):
        """What numpy believes to be an array's layout; its own functions know what they say."""
        if asker.library(frame := sys._getframe(1)) != tricks.__name__:
            asker.see(BEYOND, frame)
        begin(array, *given, **named)

    replace(helper, "__init__", __init__)
    for place in list(sys.modules.values()):
        if type(place) is ModuleType and place.__name__.startswith("numpy"):
            if vars(place).get("as_strided") is make:
                setattr(place, "as_strided", as_strided)  # noqa: B010, of any module of numpy


def _is_in(view, array):
    """Whether it sees nothing but what the array's owner has."""
    view, whole = _as_plain(view, np.ndarray), _as_plain(array, np.ndarray)
    while exact.is_a(base := _base_of(whole), np.ndarray):
        whole = base
    whole = _as_plain(whole, np.ndarray)
    (low, high), (first, end) = map(np.lib.array_utils.byte_bounds, (view, whole))
    return first <= low <= high <= end


# --- an array's memory ----------------------------------------------------------------------------


def _watch_exchanges(asker):
    """Who gives an array other memory leaves those that look at the old with nobody's."""
    change, resize = (vars(np.ndarray)[name] for name in ("__setstate__", "resize"))
    data = vars(np.ndarray)["data"]

    def see(array, frame):
        if _size_of(array):
            asker.see(BEYOND, frame)

    def __setstate__(array, state):
        see(array, sys._getframe(1))
        change(array, exact.copy(state))

    def set_data(array, buffer):
        see(array, sys._getframe(1))
        data.__set__(array, buffer)

    def counted(array, *shape, refcheck=True):
        return sys.getrefcount(array)

    replace(np.ndarray, "resize", _Method(counted))
    probe: Any = np.zeros(1)
    holders = probe.resize(2)  # of an array with a single name

    @in_place_of(resize)
    def resized(array, *shape, refcheck=True):
        if not refcheck:
            see(array, sys._getframe(2))
        elif sys.getrefcount(array) > holders:
            raise ValueError(SHARED)
        resize(array, *shape, refcheck=False)

    replace(np.ndarray, "resize", _Method(resized))
    replace(np.ndarray, "__setstate__", __setstate__)
    replace(np.ndarray, "data", property(data.__get__, set_data))


class _Method:
    """Of arrays: kept, called at once or asked of the class, it has its array as often."""

    def __init__(self, call):
        self._call = call

    def __get__(self, array, cls=None):
        call = self._call

        def of_class(one, *given, **named):
            return call(one, *given, **named)

        def bound(*given, **named):
            return call(array, *given, **named)

        return in_place_of(call)(of_class if array is None else bound)


def _hold_buffers():
    """An array that is made on a bytearray lets that be resized, and looks at nobody's memory then;
    one that is made by `frombuffer` does not.
    """
    first, object_ = word(np.ndarray, NEW).value, ctypes.py_object
    make = ctypes.PYFUNCTYPE(object_, object_, object_, object_)(first or 0)

    def __new__(cls, *given, **named):
        if not (exact.is_a(cls, type) and issubclass(cls, np.ndarray)):  # C would not ask
            raise TypeError("numpy.ndarray.__new__(X): X is not a subtype of numpy.ndarray")
        given = (*given[:2], *map(_held, given[2:3]), *given[3:])
        if "buffer" in named:
            named["buffer"] = _held(named["buffer"])
        return make(cls, given, named)

    replace(np.ndarray, "__new__", staticmethod(__new__))
    for cls in with_all_below(np.ndarray):
        if word(cls, NEW).value == first:
            word(cls, NEW).value = word(_Made, NEW).value
            modified(cls)


class _Made:
    """Any class whose `__new__` is looked up by name: Python has a function for that."""

    def __new__(cls):
        return object.__new__(cls)


def _held(buffer):
    if buffer is None or type(buffer) is bytes or exact.is_a(buffer, np.ndarray):
        return buffer
    try:
        return np.frombuffer(buffer, np.uint8)
    except (TypeError, ValueError, AttributeError, BufferError):  # it is no buffer, or empty
        return buffer
