"""`record()`: watch a block, a function, or what runs between start() and stop()."""

from __future__ import annotations

import linecache
from typing import Any

from whoholds.engines import engine_of, recorder_class
from whoholds.events import Trace
from whoholds.frames import caller
from whoholds.translate import Translation


class Recorded(Trace):
    """A trace that can be read while it is still being recorded."""

    def __init__(self, recorder, source, engine):
        super().__init__((), source, engine)
        self.recorder = recorder
        self.translation: Translation | None = None

    def follow(self, call) -> None:
        """Have `call()` called after each new storage, and once when the recording is over."""
        self.recorder.followers.append(call)

    def so_far(self) -> list:
        recorder = self.recorder
        if self.translation is None:
            self.translation = Translation(recorder.live, recorder.older)
        if recorder.seed is None or not self.recording:  # else the beginning of a walk is missing
            self._events = self.translation.told(recorder.notes)
        return self._events


class record:
    """`with whoholds.record() as trace:` every event of the block, with the bytes of that moment.

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
        engine = self.engine or engine_of(self.frame)
        source = "".join(linecache.getlines(self.frame.f_code.co_filename))
        self.recorder = recorder_class(engine)(self.names, self.frame)
        self.trace = Recorded(self.recorder, source, engine)
        self.recorder.__enter__()
        self.trace.recording = True
        return self.trace

    def __exit__(self, *exc):
        self.trace.recording = False
        self.frame = None
        self.recorder.__exit__(*exc)
