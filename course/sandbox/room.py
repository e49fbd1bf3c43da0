"""Where a submission is graded: the grader's side of one warden process, plain or isolated.

    with Room(isolate=True, hide=[submissions, out]) as room:
        reply = room.run({"exercise": "freed", "cells": [...], "seed": "..."})

Linux only. Plain mode guards against accidents; `isolate` also against a learner's malice. A job
can also hold the course's own solutions ({"solutions": [...], "seed": "..."}): in a room of theirs.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import matplotlib

from course.sandbox import homes, watch
from course.sandbox import isolate as isolation

ROOT = Path(__file__).resolve().parents[2]
BOOT = (
    "import sys, json; settings = json.loads(sys.argv.pop()); sys.path[:] = settings['paths']; "
    "from course.sandbox.warden import main; main(settings)"
)
START = 300  # seconds for a warden to be ready, on a loaded machine too
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

    `load` are files of cases beside the course's; `solutions` makes a room for these alone. Without
    `plots`, each job that plots imports what plots.
    """

    def __init__(self, isolate=False, hide=(), limits=None, load=(), solutions=False, plots=True):
        self.solutions, self.plots = solutions, plots
        self.isolate, self.hide = isolate, [str(Path(path).resolve()) for path in hide]
        self.limits, self.load = limits or watch.Limits(), [str(path) for path in load]
        self._mark = f"MINIGRAD_ROOM={uuid.uuid4().hex}"
        self._process: Any = None  # a Popen while a warden runs
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
        if self._process is None:
            self._start()
        try:
            self._send(self._process, job)
            names = self._receive(START)["cases"]
        except _Gone as gone:
            raise RuntimeError(f"the warden ended before the job began: {gone}") from None
        try:
            return self._receive(self._patience(len(names)))
        except _Gone as gone:
            said = self._said() or gone
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
        own = self._process.pid if self._process else None
        return watch.worked([own, *watch.below(own)]) if own else 0.0

    def _start(self):
        if self.isolate and not shutil.which(isolation.UNSHARE[0]):
            raise Refused(REFUSED.format("the program unshare of util-linux is missing"))
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self._command(),
            cwd="/",
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C is for the grader
        )
        self._answers, self._rest = self._process.stdout.fileno(), b""
        try:
            self._receive(START)
        except _Gone as gone:
            said = self._said() or gone
            self._end()
            why = REFUSED if self.isolate else "the warden did not start: {}"
            raise Refused(why.format(said)) from None

    def _command(self):
        limits = replace(self.limits, tasks=TASKS) if self.isolate else self.limits
        settings = {
            "paths": [str(ROOT), *self._paths()],
            "limits": asdict(limits),
            "load": self.load,
            "solutions": self.solutions,
            "plots": self.plots,
            "home": self._home,
            "hide": self.hide,
            "isolate": self.isolate,
        }
        python = [sys.executable, "-P", "-s", "-c", BOOT, json.dumps(settings)]
        return [*isolation.UNSHARE, *python] if self.isolate else python

    def _paths(self):
        """Where Python looks; in isolation without what the teacher's own PYTHONPATH adds."""
        own = os.environ.get("PYTHONPATH", "").split(os.pathsep) if self.isolate else []
        hidden = {os.path.abspath(path) for path in filter(None, own)}
        hidden = {path for path in hidden if not Path(path).is_relative_to(sys.prefix)}
        return [path for path in map(os.path.abspath, filter(None, sys.path)) if path not in hidden]

    def _environment(self):
        """Nothing of the grader's own, and the same hashes for everybody."""
        home = isolation.HOME if self.isolate else self._home
        name, _, value = self._mark.partition("=")
        return _bytecode() | {
            name: value,
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "TMPDIR": home,
            "LANG": "C.UTF-8",
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": matplotlib.get_cachedir(),  # to find all fonts anew takes seconds
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }

    def _send(self, process, job):
        try:
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise _Gone("before its job") from None

    def _receive(self, seconds):
        """One line from the warden, as data; _Gone if none comes in time."""
        pipe, late = self._answers, time.monotonic() + seconds
        while b"\n" not in self._rest:
            if not select.select([pipe], [], [], max(0, late - time.monotonic()))[0]:
                raise _Gone("it said nothing any more")
            data = os.read(pipe, 1 << 16)
            if not data or len(self._rest) > LONGEST:
                raise _Gone("it is gone" if not data else "it said too much")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise _Gone("it said something that is no JSON") from None

    def _said(self):
        """The last line that the warden wrote to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _end(self, patience=2):
        """End the warden and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        process.stdin.close()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            watch.end(process.pid, os.killpg)
            process.wait()
        if process.returncode:
            watch.end_marked(self._mark.encode())
        process.stdout.close()
        self._errors.close()


def _bytecode():
    """Where the warden may leave what it has compiled: doing that for each learner takes a second.

    It ends with the imports (`warden.py`).
    """
    names = "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"
    return {name: os.environ[name] for name in names if name in os.environ}


class _Gone(Exception):
    """The warden does not answer; the text says how that showed."""
