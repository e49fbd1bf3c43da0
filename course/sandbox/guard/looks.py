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
    """Nobody is shown the variables of what is ours, whoever asks: one of ours may have been handed
    it by a learner. Who of ours needs them asks Python's own descriptor, as it was before a guard.
    """
    of_function, of_frame = asker.function_globals, asker.globals_of
    _watch(asker, FunctionType, "__globals__", of_function, FUNCTION, _only_name, SIGNATURES)
    _watch(asker, FunctionType, "__closure__", of_function, FUNCTION, _nothing)
    _watch(asker, FrameType, "f_globals", of_frame, FRAME, _only_name, TELLERS)
    _watch(asker, FrameType, "f_locals", of_frame, FRAME, _no_names)
    _lend_builtins(asker, FunctionType, "__builtins__")
    _lend_builtins(asker, FrameType, "f_builtins")
    _watch_subclasses(asker)
    _lend_own_names(asker)
    _watch_arrays(asker)


def _watch(asker, cls, name, names_of, what, shown, allowed=()):
    """Of one of ours it is `shown`, and told; a learner gets a copy of a library's globals."""
    get = cls.__dict__[name].__get__

    def asked(thing):
        found = get(thing)
        if not asker.armed:
            return found
        if asker.are_ours(names_of(thing)):
            asker.see(what, sys._getframe(1), allowed, name)
            return shown(found)
        if asker.is_librarys(found) and asker.stranger(sys._getframe(1), allowed, name):
            return dict(found)
        return found

    replace(cls, name, property(asked))


def _only_name(names):
    return {"__name__": dict.get(names, "__name__")}


def _no_names(names):
    return {}


def _nothing(cells):
    return None


def _lend_builtins(asker, cls, name):
    """The builtins are ours, too: whoever asks gets a copy."""
    get = cls.__dict__[name].__get__
    replace(cls, name, property(lambda thing: dict(get(thing)) if asker.armed else get(thing)))


def _lend_own_names(asker):
    """Of a tensor's names whoever asks gets those that the engine has not given it."""
    own = vars(Tensor)["__dict__"]

    def asked(tensor):
        return notes.Notes(tensor) if asker.armed else own.__get__(tensor)

    def put(tensor, names):
        (notes.put if asker.armed else own.__set__)(tensor, names)

    def __getstate__(tensor):
        return notes.given(tensor) or None

    __getstate__.__module__ = Tensor.__module__  # help() shows both from Python 3.13 on
    __getstate__.__qualname__ = "Tensor.__getstate__"
    replace(Tensor, "__dict__", property(asked, put))
    replace(Tensor, "__getstate__", __getstate__)


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
