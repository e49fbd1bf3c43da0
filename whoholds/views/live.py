"""The plot of a recording that still grows, sent to the page from time to time.

Each message holds the whole plot, so a lost one costs nothing. It is told of every new storage and
is silent most of the time: it takes at most one part in ten of the time of what it watches.
"""

from __future__ import annotations

import threading
import time

from whoholds.events import shown
from whoholds.views.data import drawn
from whoholds.views.look import size_text

PAUSE, SHARE = 0.1, 10  # seconds between two plots, at least; and so many times what one took


class Live:
    """Call it when `traces[which]`, a trace that is being recorded, may have grown."""

    def __init__(self, traces, which, send):
        self.traces, self.which, self.send = traces, which, send
        self.thread, self.due = threading.get_ident(), 0.0

    def __call__(self) -> None:
        start = time.monotonic()
        if start < self.due or threading.get_ident() != self.thread:
            return
        self.send(self.message())
        now = time.monotonic()
        self.due = now + max(PAUSE, SHARE * (now - start))

    def message(self) -> dict:
        traces = list(self.traces.values())
        events = traces[self.which].events
        alive = size_text(shown(events[-1]) if events else 0)
        return dict(
            plot=drawn(traces, list(self.traces), self.which),
            count=f"{len(events)} events so far · {alive} alive",
        )
