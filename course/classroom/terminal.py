"""How far the class is: a bar that redraws itself on a terminal, one plain line each elsewhere.

The remaining time is reckoned from those that were really graded, not from those that were kept.
"""

from __future__ import annotations

import shutil
import sys
import time

WIDTH = 24


class Progress:
    """Told of each learner that is done."""

    def __init__(self, total: int, stream=None):
        self.total, self.done = total, 0
        self.stream = stream or sys.stdout
        self.live = self.stream.isatty()
        self.began = time.monotonic()
        if total:
            self._draw("")

    def step(self, said: str) -> None:
        self.done += 1
        if self.live:
            self._draw(said)
        else:
            print(f"{self.done} of {self.total}: {printable(said)}", file=self.stream, flush=True)

    def close(self) -> None:
        """Leave the line to whatever is said next."""
        if self.live and self.total:
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def _draw(self, said: str) -> None:
        if not self.live:
            return
        full = WIDTH * self.done // self.total
        bar = "#" * full + "." * (WIDTH - full)
        line = f"[{bar}] {self.done} of {self.total}{self._left()}  {printable(said)}"
        columns = shutil.get_terminal_size().columns
        self.stream.write(f"\r\x1b[K{line[: columns - 1]}")
        self.stream.flush()

    def _left(self) -> str:
        if not 0 < self.done < self.total:
            return ""
        seconds = (time.monotonic() - self.began) / self.done * (self.total - self.done)
        return f", about {seconds:.0f} s to go" if seconds < 100 else f", {seconds / 60:.0f} min"


def say(text: str, stream=None) -> None:
    """One line on the terminal, whatever letters the terminal has."""
    print(printable(text), file=stream or sys.stdout, flush=True)


def printable(text: str) -> str:
    """A name that cannot move the cursor, nor stop the grader on a terminal without its letters."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    seen = "".join(letter if letter.isprintable() else "?" for letter in text)
    return seen.encode(encoding, "replace").decode(encoding)
