"""`memory.record()`: the recorder as a `with` block, and the trace that it fills."""

from __future__ import annotations

import linecache

from minigrad.trace import names as naming
from minigrad.trace.events import Trace
from minigrad.trace.recorder import Recorder
from minigrad.trace.translate import Translation


class Recorded(Trace):
    """A trace that can be read while it is still being recorded."""

    def __init__(self, recorder, source):
        super().__init__((), source)
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


class record(Recorder):
    """`with memory.record() as trace:` every event of the block, with the bytes of that moment.

    Names are looked at when a line of the block has allocated something and when it ends.
    Recording changes no byte, no peak and no gradient; one recording at a time.
    """

    def __init__(self, names=None):
        super().__init__(names, naming.caller())
        source = "".join(linecache.getlines(self.frame.f_code.co_filename))
        self.result = Recorded(self, source)

    def __enter__(self) -> Recorded:
        super().__enter__()
        self.result.recording = True
        return self.result

    def __exit__(self, *exc):
        self.result.recording = False
        super().__exit__(*exc)
