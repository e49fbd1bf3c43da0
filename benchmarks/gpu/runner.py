"""Stages one after the other, each in a process of its own; whatever one does, the next one runs.

A process that crashes, hangs or spoils its CUDA context takes its own stage with it and no other.
Its rows are read as they come, so that those before its end are kept.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.gpu.plan import Stage
from benchmarks.gpu.row import FAILED, Row, short

ROOT = Path(__file__).resolve().parents[2]
GROUP = "the stage itself"  # the group of the row that says how it ended
CUT = "stopped at its share of {:.0f} s: what it had not tried is not known"
POSIX = os.name == "posix"


def run_all(stages, simulated: bool, say: Callable[[str], None]) -> dict[str, list[Row]]:
    """{stage: its rows}; what one stage leaves of its share is given to the next."""
    found, saved = {}, 0.0
    for stage in stages:
        say(f"{stage.name}: {stage.title} ...")
        started = time.monotonic()
        found[stage.name] = list(rows_of(stage, simulated, stage.share + saved))
        spent = time.monotonic() - started
        saved = max(0.0, saved + stage.share - spent)
        for row in found[stage.name]:
            if row.outcome == FAILED:
                say(f"  FAILED  {row.group}: {row.name}: {row.detail}")
        say(f"  {len(found[stage.name])} rows after {spent:.0f} s")
    return found


def rows_of(stage: Stage, simulated: bool, seconds: float) -> Iterator[Row]:
    """The rows of a stage, and one more if it did not come to its end in time."""
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryFile("w+") as words, started(stage, simulated, seconds, words) as child:
        lines = lines_of(child)
        while True:
            try:
                line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                yield Row(GROUP, stage.name, FAILED, CUT.format(seconds))
                return
            if line is None:
                break
            yield read(line)
        if code := child.wait():
            yield Row(GROUP, stage.name, FAILED, short(how_it_ended(code, words)))


def read(line: str) -> Row:
    try:
        return Row(**json.loads(line))
    except (ValueError, TypeError):  # a process that died in the middle of a line
        return Row(GROUP, "a row", FAILED, short(f"cannot be read: {line}"))


@contextlib.contextmanager
def started(stage: Stage, simulated: bool, seconds: float, words):
    """The stage's process; it and all that it started are gone when the block ends."""
    where = "simulated" if simulated else "card"
    call = [sys.executable, "-m", "benchmarks.gpu.child", stage.where, where, str(seconds)]
    child = subprocess.Popen(
        call, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=words, text=True, encoding="utf-8", errors="replace", start_new_session=POSIX,
    )  # fmt: skip
    try:
        yield child
    finally:
        end(child)


def environment() -> dict:
    """A stage says itself what it makes on which device."""
    kept = {name: value for name, value in os.environ.items() if name != "MINIGRAD_DEVICE"}
    return {**kept, "PYTHONUNBUFFERED": "1"}


def end(child) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if POSIX:
            os.killpg(child.pid, signal.SIGKILL)  # pytest, which a stage starts, goes as well
        else:
            child.kill()
    child.wait()
    child.stdout.close()


def lines_of(child) -> queue.Queue:
    """The lines of its stdout as they come; None when it is closed."""
    lines: queue.Queue = queue.Queue()

    def pump():
        with contextlib.suppress(ValueError):  # closed by `end` while it waits
            for line in child.stdout:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=pump, daemon=True).start()
    return lines


def how_it_ended(code: int, words) -> str:
    words.seek(0)
    said = words.read().strip().splitlines() or ["without a word"]
    name = signal.Signals(-code).name if POSIX and code < 0 else f"exit code {code}"
    return f"ended by {name}: {said[-1]}"
