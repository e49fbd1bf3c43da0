"""`memory.record()`: the recorder as a `with` block, and the trace that it fills."""

from __future__ import annotations

import linecache

from minigrad.trace import names as naming
from minigrad.trace.events import Trace
from minigrad.trace.recorder import Recorder


class Recorded(Trace):
    """A trace that can be read while it is still being recorded."""

    def __init__(self, recorder, source):
        super().__init__((), source)
        self.recorder, self.read = recorder, 0

    @property
    def recording(self) -> bool:  # type: ignore[override]
        return self.recorder.frame is not None

    def follow(self, call) -> None:
        """Have `call()` called after each new storage, and once when the recording is over."""
        self.recorder.followers.append(call)

    def so_far(self) -> list:
        if self.read != len(self.recorder.notes):
            self._events = self.recorder.trace().events
            self.read = len(self.recorder.notes)
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
        return self.result
