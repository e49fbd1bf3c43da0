"""Functions written in C that look into us or evade a count, and of which Python tells nobody."""

from __future__ import annotations

import contextvars
import functools
import gc
import sys
import tracemalloc
from types import FrameType, FunctionType, ModuleType

import numpy as np

from course.sandbox.guard.asker import is_of
from course.sandbox.guard.layout import replace
from course.trying.numpy_bytes import counts_in
from course.trying.witness import is_measuring
from minigrad import Tensor

COLLECTED = {"minigrad", "minigrad.nn.module", "numpy", "__main__"}  # whose objects a learner finds
WATCHED = {
    ("sys", "setprofile"): "profiles the grader",
    ("_posixsubprocess", "fork_exec"): "starts a process",
    ("_imp", "create_builtin"): "makes a library's module anew",
    ("_weakref", "getweakrefs"): "looks for weak references",
    ("weakref", "getweakrefs"): "looks for weak references",
}
ENDS = "stop", "reset_peak", "clear_traces"  # of tracemalloc
CONTEXT = "makes arrays where nobody counts them"
BEYOND = "makes an array of memory that is not its own"


def watch(asker):
    for (module, name), what in WATCHED.items():
        if module in sys.modules:
            _watch(asker, sys.modules[module], name, what)
    _watch_traces(asker)
    _watch_collector(asker)
    _watch_contexts(asker)
    _watch_strides(asker)


def _watch(asker, module, name, what):
    call = getattr(module, name)

    @_in_place_of(call)
    def called(*given):
        if not _is_harmless(asker, name, given):
            asker.see(what, sys._getframe(1))
        return call(*given)

    setattr(module, name, called)


def _in_place_of(call):
    """functools.wraps(), but for the way back to `call`."""

    def named(function):
        functools.update_wrapper(function, call)
        del function.__wrapped__
        return function

    return named


def _is_harmless(asker, name, given):
    """To end a profile, or to import what nobody has imported, is no look into us."""
    if name == "setprofile":
        return given == (None,)
    return name == "create_builtin" and getattr(given[0], "name", "") not in asker.names


def _watch_traces(asker):
    """A measurement of one's own may be ended or begun again; one of the grader's goes on."""
    start, begun_by_us = tracemalloc.start, [False]
    cases = [name for name in asker.ours if is_of(name, ("course.cases", "course.trying.witness"))]
    theirs = {id(vars(asker.ours[name])) for name in cases}

    def is_ours(frame):
        return id(asker.globals_of(frame)) in theirs

    @_in_place_of(start)
    def begin(*given):
        ours = is_ours(sys._getframe(1))
        if ours or not tracemalloc.is_tracing():  # a learner may have begun before us
            begun_by_us[0] = ours
        return start(*given)

    def ending(call):
        @_in_place_of(call)
        def called():
            if is_ours(sys._getframe(1)) or not (begun_by_us[0] or is_measuring()):
                call()

        return called

    ends = {name: ending(getattr(tracemalloc, name)) for name in ENDS}
    for name, call in {"start": begin, **ends}.items():
        for module in (tracemalloc, sys.modules["_tracemalloc"]):
            setattr(module, name, call)


def _watch_collector(asker):
    """To look for tensors and their holders is honest; nothing of the grader is found."""
    find, holders = gc.get_objects, gc.get_referrers

    def get_objects(generation=None):
        found = find(generation)
        if not asker.stranger(sys._getframe(1)):
            return found
        return [one for one in found if type(one).__module__ in COLLECTED]

    def get_referrers(*things):
        found = holders(*things)
        if not asker.stranger(sys._getframe(1)):
            return found
        found = [one for one in found if type(one).__module__ in (*COLLECTED, "builtins")]
        found = [
            one for one in found if type(one) is not dict or not any(map(_is_tensor, holders(one)))
        ]
        kinds = (FrameType, FunctionType, ModuleType)
        return [
            one
            for one in found
            if not isinstance(one, kinds) and not any(map(_is_graders, holders(one)))
        ]

    gc.get_objects, gc.get_referrers = get_objects, get_referrers


def _is_tensor(thing):
    return isinstance(thing, Tensor)


def _is_graders(thing):
    return is_of(type(thing).__module__, ("minigrad.core", "course"))


def _watch_contexts(asker):
    """NumPy asks the context who allocates: another context may have another answer."""
    run = contextvars.Context.__dict__["run"]

    def watched(context, *given, **named):
        if not counts_in(context):
            asker.see(CONTEXT, sys._getframe(1))
        return run(context, *given, **named)

    replace(contextvars.Context, "run", watched)


def _watch_strides(asker):
    """A view with strides of its own may reach any memory."""
    make = vars(np.lib.stride_tricks)["as_strided"]

    @_in_place_of(make)
    def as_strided(x, *given, **named):
        found, whole = make(x, *given, **named), np.asarray(x)
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        (low, high), (first, end) = map(np.lib.array_utils.byte_bounds, (found, whole))
        if found.size and not first <= low <= high <= end:
            asker.see(BEYOND, sys._getframe(1))
        return found

    for place in list(sys.modules.values()):
        if type(place) is ModuleType and place.__name__.startswith("numpy"):
            if vars(place).get("as_strided") is make:
                setattr(place, "as_strided", as_strided)  # noqa: B010, of any module of numpy
