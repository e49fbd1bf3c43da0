"""A whole program, recorded from its first line: `python -m whoholds train.py`.

The program is `__main__`, with its own arguments and search path, as if Python had started it.
"""

from __future__ import annotations

import sys
import tokenize
import types
from pathlib import Path
from typing import Any

from whoholds.engines import recorder_class
from whoholds.frames import without_ours
from whoholds.steps import Steps

NO_TURNS = (
    "no turns were counted, and no growth is told: no optimizer has stepped. Where a program "
    "updates by hand, whoholds.grows(step) counts the calls of a function instead"
)


class Program:
    """One run of the script at `path`; `steps` turns are recorded, or all of it."""

    def __init__(self, path: str, engine: str, steps: int | None = None, detail="tensor"):
        self.path, self.engine, self.steps, self.detail = path, engine, steps, detail
        with tokenize.open(path) as file:  # in the encoding that it declares
            self.source = file.read()
        self.recorder: Any = None
        self.hook: Any = None  # after each step of an optimizer
        self.ended: list = []  # called once, when the recording is over
        self.taken = Steps()  # of optimizers

    def run(self, arguments) -> BaseException | None:
        """Run it to its end; gives what it raised, without the frames of this package."""
        file = str(Path(self.path).absolute())  # as Python itself calls a program
        code = compile(self.source, file, "exec", dont_inherit=True)
        module = types.ModuleType("__main__")
        module.__file__ = file
        sys.modules["__main__"] = module
        sys.argv = [self.path, *arguments]
        sys.path[0] = str(Path(self.path).resolve().parent)
        self._await(code)
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            self.stop(error)
            return error.with_traceback(without_ours(error.__traceback__))
        self.stop()
        return None

    def _await(self, code):
        """Begin to record when the frame of the program is there, before its first line."""

        def called(frame, event, _):
            if event == "call" and frame.f_code is code:
                sys.setprofile(None)
                self._start(frame)

        sys.setprofile(called)

    def _start(self, frame):
        """Begin to record; where that fails the program runs on without."""
        try:
            self.recorder = recorder_class(self.engine, self.detail)(None, frame)
            self.recorder.__enter__()
            if self.engine == "torch":
                self.hook = self.recorder.after_step(self._stepped)
        except Exception as problem:
            print(f"whoholds: {self.path} is not recorded: {problem}", file=sys.stderr)

    def _stepped(self, optimizer, *_):
        if self.recorder is not None:
            other = self.taken.see(optimizer)
            self.recorder.stepped(self.taken, other)
            if self.steps and self.taken.turns >= self.steps and not self.recorder.walks:
                self.stop()

    def stop(self, error=None) -> None:
        """End the recording, once."""
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            if self.hook is not None:
                self.hook.remove()
            if self.steps and not self.taken.turns:
                recorder.lose(NO_TURNS)
            recorder.__exit__(type(error) if error else None, error, None)
            trace = recorder.trace(self.source, self.path)
            for call in self.ended:
                call(trace)
