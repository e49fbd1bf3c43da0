"""`record()`: watch a block, a function, or what runs between start() and stop()."""

from __future__ import annotations

import functools
import linecache
from typing import Any

from whoholds.engines import BRIEF, check_detail, engine_of, recorder_class
from whoholds.events import Trace
from whoholds.frames import caller, variables


class Recorded(Trace):
    """A trace that can be read while it is still being recorded."""

    def __init__(self, recorder, source, engine):
        super().__init__((), source, engine, "", recorder.places.rows, recorder.version)
        self.recorder, self.bounds = recorder, {}

    def follow(self, call) -> None:
        """Have `call()` called after each new storage, and once when the recording is over."""
        self.recorder.followers.append(call)

    @property
    def workspace(self) -> int:
        return self.recorder.beside.most if self.engine == "minigrad" else 0

    def so_far(self) -> list:
        if self.recorder.seed is None or not self.recording:  # else a walk's beginning is missing
            self._events = self.recorder.told()
            self.bounds = self.recorder.finder.bounds if self.recorder.finder else {}
        return self._events


class record:
    """`with whoholds.record() as trace:` every event of the block, with the bytes of that moment.

    `record().start()` and `.stop()` do the same without a block, and give the trace. As a decorator
    each call of the function is recorded; the last one's trace is its `.trace`.

    Names are looked at when a line of the block has allocated something and when it ends; `names`
    are those to follow, by default all that the code around mentions. `engine` is "torch" or
    "minigrad", by default the one that the code around uses. Recording changes no byte, no peak
    and no gradient; one recording at a time.

    Of PyTorch `detail="line"` tells what each line allocates and keeps instead, `detail="module"`
    the bytes at the boundaries of modules, at less cost: the trace is a whoholds.lines.LineTrace or
    a whoholds.modules.ModuleTrace, and is filled when the block is over.
    """

    def __init__(self, names=None, engine=None, detail="tensor"):
        check_detail(detail)
        self.names, self.engine, self.frame = names, engine, caller()
        self.detail = detail
        self.asked: Any = None  # the function that is recorded
        self.trace: Any = None
        self.recorder: Any = None

    def __enter__(self) -> Any:
        frame = self.frame
        engine = self.engine or engine_of(frame.f_code, frame.f_globals, dict(variables(frame)))
        source = "".join(linecache.getlines(frame.f_code.co_filename))
        self.recorder = recorder_class(engine, self.detail)(self.names, frame)
        self.recorder.asked = self.asked
        self.recorder.__enter__()
        if self.detail in BRIEF:
            self.trace = self.recorder.trace(source)
        else:
            self.trace = Recorded(self.recorder, source, engine)
        self.trace.recording = True
        return self.trace

    def __exit__(self, *exc):
        self.trace.recording = False
        self.frame = None
        self.recorder.__exit__(*exc)
        self.asked = self.recorder.asked = None  # or it would be held

    def of(self, function) -> record:
        """The same, of the engine that the code of `function` uses, unless one was given."""
        self.engine = self.engine or _engine_of(function)
        self.asked = function
        return self

    def start(self) -> Any:
        return self.__enter__()

    def stop(self) -> Any:
        self.__exit__(None, None, None)
        return self.trace

    def __call__(self, function):
        self.frame = None  # that of the definition, which would keep all its variables

        @functools.wraps(function)
        def recorded(*args, **kwargs):
            try:
                with record(self.names, self.engine, self.detail).of(function) as trace:
                    vars(recorded)["trace"] = trace
                    return function(*args, **kwargs)
            finally:
                del args, kwargs  # a kept error keeps this frame

        return recorded


def _engine_of(function) -> str:
    """The engine that a function, a method or a module's call uses."""
    function = getattr(function, "__wrapped__", function)
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return engine_of(_call.__code__, {"function": function}, {})
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    return engine_of(code, function.__globals__, {name: cell.cell_contents for name, cell in cells})


def _call(function):
    return function()
