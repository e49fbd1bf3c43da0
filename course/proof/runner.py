"""Runs the steps of a tier, a row of them side by side, and says in the end which failed.

What a step says is passed on whole and in order: the first of a row as it comes, the next after it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from . import places
from .tiers import Step

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MINIGRAD_REVEAL": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "",  # what a thousand processes import is compiled once
}
LAST_WORDS = re.compile(r"=+ .* in [\d.]+m?s.* =+$|left out: ")
FAULTS = re.compile(r"(FAILED|ERROR) | +problem: |\S+:\d+: error: ")  # pytest's, check's, mypy's
MOST = 40  # faults of a step that are said again


@dataclass
class Running:
    """A step under way: its words so far, and in the end its exit code."""

    step: Step
    command: list[str]
    home: dict[str, str] = field(default_factory=dict)  # what says where an environment is
    words: SimpleQueue = field(default_factory=SimpleQueue)
    code: int | None = None
    seconds: float = 0.0
    process: subprocess.Popen | None = None

    def run(self) -> None:
        """Follow the process to its end; None is the last word."""
        began = time.monotonic()
        try:
            with subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=os.environ | SETTINGS | self.home | self.step.settings,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
            ) as self.process:
                assert self.process.stdout
                for line in self.process.stdout:
                    self.words.put(line)
            self.code = self.process.returncode
        finally:
            self.seconds = time.monotonic() - began
            self.words.put(None)

    def stop(self) -> None:
        """A step that its proof leaves behind, because of Ctrl-C, ends too."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()


def prove(rows: Iterable[list[Step]]) -> int:
    """Run every step, also after a failure; 0 if all passed, else 1."""
    failed, faults, closing, took = [], [], [], []
    with ExitStack() as stack:
        for row in rows:
            for running in [start(step, stack) for step in row]:
                code, last, wrong = follow(running)
                closing += last
                if code != 0:
                    failed.append(running.step.name)
                    faults += wrong[:MOST]
                took.append(f"{running.seconds:6.0f} s  {running.step.name}")
    print("\n=== How long each step took", *took, sep="\n")
    print(f"\n=== {summary(failed)}")
    print("\n".join([*faults, *closing]), flush=True)
    return 1 if failed else 0


def start(step: Step, stack: ExitStack) -> Running:
    """Begin a step, in an environment of its own where it asks for one."""
    running = Running(step, [sys.executable, "-m", *step.call])
    try:
        if step.place:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="minigrad-proof-")))
            running.command[0] = str(step.place(folder))
            # Else IPython would find what is missing there in the environment that run.py is in.
            running.home = {"VIRTUAL_ENV": str(folder)}
    except places.CannotMake as reason:
        running.words.put(f"{reason}\n")
        running.words.put(None)
        running.code = 1
        return running
    stack.callback(running.stop)
    threading.Thread(target=running.run, daemon=True).start()
    return running


def follow(running: Running) -> tuple[int | None, list[str], list[str]]:
    """Pass a step's words on until its end; its exit code, and the lines worth saying again.

    These are what its runner says last, and what it says of each fault.
    """
    print(f"\n=== {headline(running.step)}", flush=True)
    again, faults = [], []
    for line in iter(running.words.get, None):
        print(line, end="", flush=True)
        if LAST_WORDS.match(line):
            again.append(line.rstrip())
        elif FAULTS.match(line):
            faults.append(line.rstrip())
    return running.code, again, faults


def headline(step: Step) -> str:
    """The step as somebody would type it."""
    settings = [f"{name}={value!r}" for name, value in step.settings.items()]
    return f"{step.name}: {' '.join([*settings, 'python -m', *step.call])}"


def summary(failed: list[str]) -> str:
    return f"FAILED: {', '.join(failed)}" if failed else "Everything passed. The runners said:"
