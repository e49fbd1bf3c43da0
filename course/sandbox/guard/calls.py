"""Functions written in C that look into us or evade a count, and of which Python tells nobody."""

from __future__ import annotations

import _thread
import contextvars
import gc
import signal
import sys
import threading
import tracemalloc
from functools import partial
from types import FrameType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

from course.sandbox.guard import exact
from course.sandbox.guard.asker import is_of
from course.sandbox.guard.events import BELOW, EVENTS, INNER
from course.sandbox.guard.layout import replace
from course.sandbox.guard.memory import in_place_of
from course.trying.calls import is_between
from course.trying.numpy_bytes import count_here, counts_in
from course.trying.witness import is_measuring
from minigrad import Tensor

COLLECTED = {"minigrad", "minigrad.nn.module", "numpy", "__main__"}  # whose objects a learner finds
ALARM = "sets an alarm in the place of the grader's"
ALARMS = signal.SIGALRM, signal.SIGPROF, signal.SIGVTALRM
WATCHED = {
    ("sys", "setprofile"): "profiles the grader",
    ("sys", "_setprofileallthreads"): "profiles the grader",  # from Python 3.12 on
    ("_signal", "signal"): ALARM,
    ("_signal", "alarm"): ALARM,
    ("signal", "alarm"): ALARM,
    ("_signal", "setitimer"): ALARM,
    ("signal", "setitimer"): ALARM,
    ("_posixsubprocess", "fork_exec"): "starts a process",
    ("_weakref", "getweakrefs"): "looks for weak references",
    ("weakref", "getweakrefs"): "looks for weak references",
}
ANEW = "makes a library's module anew"
ENDS = "stop", "reset_peak", "clear_traces"  # of tracemalloc
TELLS = {  # what it says to whom it does not measure
    "is_tracing": False, "get_traced_memory": (0, 0), "get_tracemalloc_memory": 0,
    "_get_object_traceback": None,
}  # fmt: skip
COUNTS = (
    (gc, "get_count", (0, 0, 0)), (sys, "getallocatedblocks", 0), (sys, "_debugmallocstats", None),
)  # fmt: skip
STARTS = "start_new_thread", "start_new", "start_joinable_thread"  # the last from Python 3.13 on
CONTEXT = "makes arrays where nobody counts them"


def watch(asker):
    for (module, name), what in WATCHED.items():
        if hasattr(sys.modules.get(module), name):
            _watch(asker, sys.modules[module], name, what)
    _hold_handlers(asker)
    _watch_trace(asker)
    _watch_builtins(asker)
    _watch_traces(asker)
    _watch_collector(asker)
    _hide_counts()
    _watch_threads()
    _watch_contexts(asker)


def _watch(asker, module, name, what):
    call = getattr(module, name)

    @in_place_of(call)
    def called(*given):
        if not _is_harmless(name, given):
            asker.see(what, sys._getframe(1))
        return call(*given)

    setattr(module, name, called)


def _is_harmless(name, given):
    """To end a profile is no look into us, and no other signal comes at a time that was set."""
    if name == "signal":
        return bool(given) and exact.path(given[0]) not in (None, *ALARMS)
    return name == "setprofile" and len(given) == 1 and given[0] is None


class Handler:
    """A learner's of a signal, which anybody may send at any time: it runs while code of theirs
    does, and not where a case reads what a call has left.
    """

    __slots__ = ("own",)

    def __init__(self, own):
        self.own = own

    def __call__(self, number, frame):
        if not is_between():
            self.own(number, frame)


def _hold_handlers(asker):
    signals: Any = sys.modules["_signal"]
    put, get = signals.signal, signals.getsignal

    def own(found):
        return found.own if type(found) is Handler else found

    @in_place_of(put)
    def put_handler(*given):
        if len(given) == 2 and callable(given[1]) and asker.stranger(sys._getframe(1)):
            given = given[0], Handler(given[1])
        return own(put(*given))

    signals.signal = put_handler
    signals.getsignal = in_place_of(get)(lambda *given: own(get(*given)))


def _watch_trace(asker):
    """To put back what there is, as `doctest` does, is no trace."""
    put = sys.settrace

    @in_place_of(put)
    def settrace(function):
        if function is not sys.gettrace():
            asker.see(EVENTS["sys.settrace"], sys._getframe(1), name="settrace")
        put(function)

    sys.settrace = settrace


def _watch_builtins(asker):
    """To import what nobody has imported is no look into us; its name is asked for once."""
    maker: Any = sys.modules["_imp"]
    make = maker.create_builtin

    @in_place_of(make)
    def create_builtin(spec):
        name, frame = exact.text(spec.name), sys._getframe(1)
        if name in asker.names:
            asker.see(ANEW, frame)
        if name in INNER:
            asker.see(BELOW.format(name), frame)
        return make(SimpleNamespace(name=name, origin="built-in"))

    maker.create_builtin = create_builtin


def _watch_traces(asker):
    """A measurement of one's own may be ended or begun again; one of the grader's goes on, and is
    seen by nobody else."""
    start, begun_by_us, begun_by_them = tracemalloc.start, [False], [False]
    cases = [name for name in asker.ours if is_of(name, ("course.cases", "course.trying.witness"))]
    theirs = {id(vars(asker.ours[name])) for name in cases}

    def is_ours(frame):
        return id(asker.globals_of(frame)) in theirs

    @in_place_of(start)
    def begin(*given):
        ours = is_ours(sys._getframe(1))
        if ours or not tracemalloc.is_tracing():  # a learner may have begun before us
            begun_by_us[0] = ours
        begun_by_them[0] = begun_by_them[0] or not ours
        return start(*given)

    def ending(call):
        @in_place_of(call)
        def called():
            ours = is_ours(sys._getframe(1))
            if not ours and call is stop:
                begun_by_them[0] = False
            if ours or not (begun_by_us[0] or is_measuring()):
                call()

        return called

    def asking(call, nothing):
        @in_place_of(call)
        def asked(*given):
            found = call(*given)
            return found if begun_by_them[0] or is_ours(sys._getframe(1)) else nothing

        return asked

    stop = tracemalloc.stop
    tells = {name: asking(getattr(tracemalloc, name), no) for name, no in TELLS.items()}
    ends = {name: ending(getattr(tracemalloc, name)) for name in ENDS}
    for name, call in {"start": begin, **ends, **tells}.items():
        for module in (tracemalloc, sys.modules["_tracemalloc"]):
            setattr(module, name, call)


def _hide_counts():
    """What Python has allocated so far tells which meters are at work, as each birth is booked."""
    for module, name, nothing in COUNTS:
        setattr(module, name, in_place_of(getattr(module, name))(lambda nothing=nothing: nothing))


def _watch_collector(asker):
    """To look for tensors and their holders is honest; nothing of the grader is found."""
    find, holders = gc.get_objects, gc.get_referrers

    def get_objects(generation=None):
        found = find(generation if generation is None else exact.number(generation))
        if not asker.stranger(sys._getframe(1)):
            return found
        return [one for one in found if exact.module_of(type(one)) in COLLECTED]

    def get_referrers(*things):
        found = holders(*things)
        if not asker.stranger(sys._getframe(1)):
            return found
        found = [one for one in found if exact.module_of(type(one)) in (*COLLECTED, "builtins")]
        found = [
            one for one in found if type(one) is not dict or not any(map(_is_tensor, holders(one)))
        ]
        kinds = (FrameType, FunctionType, ModuleType)
        return [
            one
            for one in found
            if type(one) not in kinds and not any(map(_is_graders, holders(one)))
        ]

    gc.get_objects, gc.get_referrers = get_objects, get_referrers


def _is_tensor(thing):
    return exact.is_a(thing, Tensor)


def _is_graders(thing):
    return is_of(exact.module_of(type(thing)), ("minigrad.core", "course"))


def _watch_threads():
    """A new thread begins in a context of its own: NumPy is counted there as in all others."""

    def watch_starting(start):
        @in_place_of(start)
        def started(function, *given, **named):
            def begun(*given, **named):
                count_here()
                return function(*given, **named)

            return start(begun if callable(function) else function, *given, **named)

        return started

    for name in filter(partial(hasattr, _thread), STARTS):
        setattr(_thread, name, watch_starting(getattr(_thread, name)))
        if hasattr(threading, f"_{name}"):
            setattr(threading, f"_{name}", getattr(_thread, name))


def _watch_contexts(asker):
    """NumPy asks the context who allocates: another context may have another answer."""
    run, copied = (vars(contextvars.Context)[name] for name in ("run", "copy"))

    def watched(context, *given, **named):
        if not counts_in(copied(context)):  # a TypeError if it is none: it would be asked
            asker.see(CONTEXT, sys._getframe(1))
        return run(context, *given, **named)

    replace(contextvars.Context, "run", watched)
