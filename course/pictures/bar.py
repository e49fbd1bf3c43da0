"""A progress bar for cells that take more than a second: how far, out of how many, how long yet.

Shown in place and left as one line of text that is the same in every run. Without a notebook it
does nothing. Knows nothing of what is counted.
"""

from __future__ import annotations

import html
import time
from collections.abc import Iterable, Iterator

from whoholds.unattended import revealing

OFTEN = 0.2  # seconds between two looks


def bar(items: Iterable, total: int, label: str) -> Iterator:
    """The items, while a bar in the cell's output shows how many of `total` are done."""
    show = _shown(label, total)
    began = looked = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - looked > OFTEN or not done:
            looked = time.monotonic()
            show(done, (looked - began) / done * (total - done) if done else None)
        yield item
    show(total, None)


def _shown(label, total):
    """A function that draws the bar, over the one it drew before."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return lambda done, left: None
    shell = get_ipython()
    if shell is None:
        return lambda done, left: None
    if revealing() or getattr(shell, "kernel", None) is None:
        # nobody watches, and nbval sees no update: say at once how it will end
        display(Bar(label, total, total, None))
        return lambda done, left: None
    handle = display(Bar(label, 0, total, None), display_id=True)
    return lambda done, left: handle.update(Bar(label, done, total, left))


class Bar:
    """One state of the bar, as text and as a page."""

    def __init__(self, label, done, total, left):
        self.label, self.done, self.total, self.left = label, done, total, left

    def __repr__(self):
        rest = "" if self.left is None else f", about {self.left:.0f} s to go"
        return f"{self.label}: {self.done} of {self.total}{rest}"

    def _repr_html_(self):
        meter = f'<progress value="{self.done}" max="{self.total}" style="width: 12em"></progress>'
        return f"{meter} {html.escape(repr(self))}"
