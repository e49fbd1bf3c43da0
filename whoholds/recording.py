"""`record()`: watch a block, a function, or what runs between start() and stop()."""

from __future__ import annotations

import functools
import linecache
from typing import Any

from whoholds.engines import engine_of, recorder_class
from whoholds.events import Trace
from whoholds.frames import caller


class Recorded(Trace):
    """A trace that can be read while it is still being recorded."""

    def __init__(self, recorder, source, engine):
        super().__init__((), source, engine, places=recorder.places.rows)
        self.recorder = recorder

    def follow(self, call) -> None:
        """Have `call()` called after each new storage, and once when the recording is over."""
        self.recorder.followers.append(call)

    def so_far(self) -> list:
        if self.recorder.seed is None or not self.recording:  # else a walk's beginning is missing
            self._events = self.recorder.told()
        return self._events


class record:
    """`with whoholds.record() as trace:` every event of the block, with the bytes of that moment.

    `record().start()` and `.stop()` do the same without a block, and give the trace. As a decorator
    each call of the function is recorded; the last one's trace is its `.trace`.

    Names are looked at when a line of the block has allocated something and when it ends; `names`
    are those to follow, by default all that the code around mentions. `engine` is "torch" or
    "minigrad", by default the one that the code around uses. Recording changes no byte, no peak
    and no gradient; one recording at a time.
    """

    def __init__(self, names=None, engine=None):
        self.names, self.engine, self.frame = names, engine, caller()
        self.trace: Any = None
        self.recorder: Any = None

    def __enter__(self) -> Recorded:
        frame = self.frame
        engine = self.engine or engine_of(frame.f_code, frame.f_globals, frame.f_locals)
        source = "".join(linecache.getlines(frame.f_code.co_filename))
        self.recorder = recorder_class(engine)(self.names, frame)
        self.recorder.__enter__()
        self.trace = Recorded(self.recorder, source, engine)
        self.trace.recording = True
        return self.trace

    def __exit__(self, *exc):
        self.trace.recording = False
        self.frame = None
        self.recorder.__exit__(*exc)

    def start(self) -> Recorded:
        return self.__enter__()

    def stop(self) -> Recorded:
        self.__exit__(None, None, None)
        return self.trace

    def __call__(self, function):
        self.frame = None  # that of the definition, which would keep all its variables

        @functools.wraps(function)
        def recorded(*args, **kwargs):
            engine = self.engine or engine_of(function.__code__, function.__globals__, {})
            one = record(self.names, engine)
            with one as recorded.trace:  # type: ignore[attr-defined]
                return function(*args, **kwargs)

        return recorded
