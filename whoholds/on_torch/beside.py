"""What other threads make: the thread that records tells of it, when it looks next.

PyTorch shows the results of ops to the dispatch modes of the thread that runs them. So each thread
that begins during a recording gets a mode of its own. It only notes what was made, and where; what
has died by the time of the next look is not told. A thread that was there before is not seen.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import deque
from types import CodeType
from typing import NamedTuple

from whoholds.on_torch.ledger import Watch
from whoholds.on_torch.parts import alive, followed


class At(NamedTuple):
    """What `Places` asks of a frame, which goes on."""

    f_code: CodeType
    f_lineno: int


class Beside:
    """A context manager; `made()` gives (tensor, line of the main file or None, At) of what came
    since the last time and lives.
    """

    counts = ()  # of products: only those of the thread that asked are counted

    def __init__(self, places):
        self.places, self.over = places, False
        self.fresh: deque = deque()

    def __enter__(self):
        self.before = threading.getprofile()
        threading.setprofile(self._begins)
        return self

    def __exit__(self, *error):
        self.over = True
        threading.setprofile(self.before)

    def _begins(self, frame, event, given):
        """Python calls this in a new thread, and again unless it is let go of."""
        sys.setprofile(self.before)
        if not self.over:
            Watch(self).__enter__()  # it ends with the thread

    def see(self, tensor):
        """An op in such a thread has made this."""
        inner, main = self.places.of(sys._getframe(1))
        if inner is not None and not self.over and followed(tensor):
            at = At(inner.f_code, inner.f_lineno)
            line = None if main is None else main.f_lineno
            self.fresh.append((weakref.ref(tensor), line, at))

    def made(self):
        for _ in range(len(self.fresh)):
            ref, line, at = self.fresh.popleft()
            for tensor in alive([ref]):
                yield tensor, line, at
