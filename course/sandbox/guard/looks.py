"""Looks into functions and frames, which Python tells nobody of: their descriptors are replaced."""

from __future__ import annotations

import sys
from types import FrameType, FunctionType

from course.sandbox.flags import REACHES
from course.sandbox.guard import exact, notes
from course.sandbox.guard.asker import is_of
from course.sandbox.guard.events import FRAME, FUNCTION, SIGNATURES, TELLERS
from course.sandbox.guard.layout import replace, with_all_below
from minigrad import Tensor
from minigrad.core.storage import Storage

CLASSES = "looks for classes that nobody gave it"
ABC = {"abc", "_py_abc"}
LISTED = "minigrad.nn", "minigrad.optim"


def watch(asker):
    _watch_names(asker, FunctionType, "__globals__", asker.function_globals, FUNCTION)
    _watch_names(asker, FrameType, "f_globals", asker.globals_of, FRAME, TELLERS)
    _watch(asker, FunctionType, "__closure__", asker.function_globals, FUNCTION)
    _watch(asker, FrameType, "f_locals", asker.globals_of, FRAME)
    _lend_builtins(asker, FunctionType, "__builtins__")
    _lend_builtins(asker, FrameType, "f_builtins")
    _watch_subclasses(asker)
    _lend_own_names(asker)
    _watch_arrays(asker)


def _watch(asker, cls, name, names_of, what):
    """To ask for this of one of ours is told."""
    get = cls.__dict__[name].__get__

    def asked(thing):
        if asker.armed and asker.are_ours(names_of(thing)):
            asker.see(what, sys._getframe(1), name=name)
        return get(thing)

    replace(cls, name, property(asked))


def _watch_names(asker, cls, name, names_of, what, allowed=()):
    """The globals of one of ours are told; those of a library are lent as a copy."""
    get = cls.__dict__[name].__get__

    def asked(thing):
        names, frame = get(thing), sys._getframe(1)
        if not asker.armed:
            return names
        if asker.are_ours(names):
            if asker.library(frame) in SIGNATURES:
                return {}  # it would evaluate annotations in them
            asker.see(what, frame, allowed, name)
        elif asker.is_librarys(names) and asker.stranger(frame, allowed, name):
            return dict(names)
        return names

    replace(cls, name, property(asked))


def _lend_builtins(asker, cls, name):
    """The builtins are ours, too: a learner gets a copy."""
    get = cls.__dict__[name].__get__

    def asked(thing):
        names = get(thing)
        return dict(names) if asker.stranger(sys._getframe(1), name=name) else names

    replace(cls, name, property(asked))


def _lend_own_names(asker):
    """Of a tensor's names a learner gets those that the engine has not given it."""
    own = vars(Tensor)["__dict__"]

    def asked(tensor):
        ours = asker.stranger(sys._getframe(1), name="__dict__") is None
        return own.__get__(tensor) if ours else notes.Notes(tensor)

    def put(tensor, names):
        ours = asker.stranger(sys._getframe(1), name="__dict__") is None
        (own.__set__ if ours else notes.put)(tensor, names)

    replace(Tensor, "__dict__", property(asked, put))
    replace(Tensor, "__getstate__", lambda tensor: notes.given(tensor) or None)


def _watch_arrays(asker):
    """A storage has the array of all its tensors."""
    own = vars(Storage)["array"]

    def asked(storage):
        asker.see(REACHES, sys._getframe(1), name="array")
        return own.__get__(storage)

    replace(Storage, "array", property(asked, own.__set__, own.__delete__))


def _watch_subclasses(asker):
    """A class that a learner has made has no others below it than theirs: many keep such lists.

    Below a layer or an optimizer a learner finds what is public, and theirs. `help` looks for
    Python's own below every class, and finds no more.
    """
    get = type.__dict__["__subclasses__"]
    there = {id(cls): cls for cls in with_all_below(object, get)}  # kept, so that an id is of one

    def __subclasses__(cls):
        frame, found = sys._getframe(1), get(cls)
        if id(cls) not in there or not asker.stranger(frame, ABC):
            return found
        if asker.library(frame) == "pydoc":
            return [one for one in found if exact.module_of(one) == "builtins"]
        if is_of(exact.module_of(cls), LISTED):
            return [one for one in found if not is_of(exact.module_of(one), ("course",))]
        asker.see(CLASSES, frame, ABC)
        return found

    replace(type, "__subclasses__", __subclasses__)
