"""Where a submission is graded: what one warden process is asked, plain or isolated.

    with Room(isolate=True, hide=[submissions, out]) as room:
        reply = room.run({"exercise": "freed", "cells": [...], "seed": "..."})

Linux only. Plain mode guards against accidents; `isolate` also against a learner's malice. A job
can also hold the course's own solutions ({"solutions": [...], "seed": "..."}): in a room of theirs.
"""

import json
import os
import select
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import matplotlib

from course.sandbox import homes, watch
from course.sandbox.wardens import START, Gone, Warden

ROOT = Path(__file__).resolve().parents[2]
MARGIN = 30  # seconds beyond what cells and cases may take
TASKS = 100  # where they are counted apart from all else that the user runs
LONGEST = 64 << 20  # bytes of a reply
GONE = "it ended the process that watches over it; no case of this exercise counts"
ELSEWHERE = "a class can be graded on Linux only; use a Linux machine, WSL or a container"
REFUSED = (
    "This machine cannot isolate a learner's code ({}). Grade in a container without network, "
    "or add --plain, which stops accidents and no malice: the code then runs as you."
)


class Refused(RuntimeError):
    """No room can be had; the text is one sentence with the remedy."""


class Room:
    """A context manager. A warden that a learner's code brings down is followed by another one.

    `load` are files of cases beside the course's.
    """

    def __init__(self, isolate=False, hide=(), limits=None, load=()):
        self.isolate, self.hide = isolate, [str(Path(path).resolve()) for path in hide]
        self.limits, self.load = limits or watch.Limits(), [str(path) for path in load]
        self._warden: Any = None  # a Warden while one runs
        self._rest = b""

    def __enter__(self):
        if sys.platform != "linux":
            raise Refused(ELSEWHERE)
        self._home, self._lock = homes.make()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        self._end()
        homes.remove(self._home, self._lock)

    def run(self, job):
        """The reply to one job (see the module `warden`); never raises for what a learner did."""
        if self._warden is None:
            self._start()
        try:
            self._send(job)
            names = self._receive(START)["cases"]
        except Gone as gone:
            raise RuntimeError(f"the warden ended before the job began: {gone}") from None
        try:
            return self._receive(self._patience(len(names)))
        except Gone as gone:
            said = self._warden.said() or gone
            self._end(patience=0.1)
            return {
                "outcomes": {name: {"ended": GONE} for name in names},
                "notes": [f"{GONE} ({said})"],
                "flags": [],
                "made": False,
                "output": "",
            }

    def _patience(self, names):
        """Seconds after which the warden itself must be in trouble."""
        cells = self.limits.cells * (self.limits.strikes + 1)
        return MARGIN + self.limits.patience * (cells + names * (self.limits.seconds + 1))

    def worked(self):
        """Seconds of the processor that the warden took, and all that it started."""
        own = self._warden.pid if self._warden else None
        return watch.worked([own, *watch.below(own)]) if own else 0.0

    def _start(self):
        why = REFUSED if self.isolate else "the warden did not start: {}"
        try:
            self._warden = Warden([str(ROOT), *self._paths()], _environment(), self._settings())
        except Gone as gone:
            raise Refused(why.format(gone)) from None
        self._rest = b""
        try:
            self._receive(START)
        except Gone as gone:
            said = self._warden.said() or gone
            self._end()
            raise Refused(why.format(said)) from None

    def _settings(self):
        limits = replace(self.limits, tasks=TASKS) if self.isolate else self.limits
        return {
            "limits": asdict(limits),
            "load": self.load,
            "home": self._home,
            "hide": self.hide,
            "isolate": self.isolate,
        }

    def _paths(self):
        """Where Python looks; in isolation without what the teacher's own PYTHONPATH adds."""
        own = os.environ.get("PYTHONPATH", "").split(os.pathsep) if self.isolate else []
        hidden = {os.path.abspath(path) for path in filter(None, own)}
        hidden = {path for path in hidden if not Path(path).is_relative_to(sys.prefix)}
        return [path for path in map(os.path.abspath, filter(None, sys.path)) if path not in hidden]

    def _send(self, job):
        rest = memoryview(json.dumps(job).encode() + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._warden.jobs, rest) :]
        except BrokenPipeError:
            raise Gone("before its job") from None

    def _receive(self, seconds):
        """One line from the warden, as data; Gone if none comes in time."""
        pipe, late = self._warden.answers, time.monotonic() + seconds
        while b"\n" not in self._rest:
            if not select.select([pipe], [], [], max(0, late - time.monotonic()))[0]:
                raise Gone("it said nothing any more")
            data = os.read(pipe, 1 << 16)
            if not data or len(self._rest) > LONGEST:
                raise Gone("it is gone" if not data else "it said too much")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise Gone("it said something that is no JSON") from None

    def _end(self, patience=2):
        """End the warden and all that it started."""
        warden, self._warden = self._warden, None
        if warden is not None:
            warden.end(patience)


def _environment():
    """Nothing of the grader's own, and the same hashes for everybody."""
    return _bytecode() | {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": matplotlib.get_cachedir(),  # to find all fonts anew takes seconds
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def _bytecode():
    """Where the warden may leave what it has compiled: doing that for each learner takes a second.

    It ends with the imports (`warden.py`).
    """
    names = "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"
    return {name: os.environ[name] for name in names if name in os.environ}
