"""Where a stage works: on the card or on the stand-in, and how long it still may."""

from __future__ import annotations

import contextlib
import time

import minigrad as mg
from minigrad import gpu

ROOM = 1 << 34  # bytes of the stand-in
SPARE = 0.85  # of its share, what a stage that could go on for ever may use


class Place:
    """`simulated` says which; made at the start of a stage's process, where its time begins."""

    def __init__(self, simulated: bool, seconds: float):
        self.simulated = simulated
        self.end = time.monotonic() + SPARE * seconds
        if simulated:
            mg.cuda.simulate(ROOM).start()

    @property
    def card(self):
        """The GPU; a RuntimeError says why there is none."""
        if (found := gpu.current()) is None:
            raise RuntimeError(gpu.why_not())
        return found

    def has_time(self) -> bool:
        return time.monotonic() < self.end

    @contextlib.contextmanager
    def default(self):
        """Inside, new tensors are made on the GPU if nobody says where."""
        mg.set_default_device("cuda")
        try:
            yield
        finally:
            mg.set_default_device("cpu")
