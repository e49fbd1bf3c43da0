"""The workers of a case: started, asked one at a time, buried when they die.

Refuses to know what is asked.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.case import Case, module_name

ROOT = Path(__file__).resolve().parent.parent
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in THREADS}
MISSING = '{0} is not installed and is left out: `pip install -e ".[bench]"` brings it.'


class Died(Exception):
    """The text is a sentence that names the engine and its last words."""


class Worker:
    def __init__(self, case: str, engine: str):
        self.engine, self.words = engine, tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", case, engine],
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.words,
            text=True,
        )

    def ask(self, *words) -> Any:
        """The worker's answer; the others sleep meanwhile."""
        assert self.process.stdin and self.process.stdout
        with contextlib.suppress(BrokenPipeError):
            print(*words, file=self.process.stdin, flush=True)
        if line := self.process.stdout.readline():
            return json.loads(line)
        raise Died(f"{self.engine} died and is left out: {self.last_words()}")

    def last_words(self) -> str:
        code = self.process.wait()
        self.words.seek(0)
        lines = self.words.read().strip().splitlines()
        return lines[-1] if lines else f"exit code {code}, without a word."

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.words.close()


@contextlib.contextmanager
def crew(case: Case, engines: list[str]) -> Iterator[dict[str, Worker]]:
    """{engine: its worker}; all of them end with the block."""
    workers: dict[str, Worker] = {}
    try:
        for engine in engines:
            workers[engine] = Worker(case.name, engine)
        yield workers
    finally:
        for worker in workers.values():
            worker.end()


def installed(engine: str) -> bool:
    return importlib.util.find_spec(module_name(engine)) is not None


def missing(engines) -> list[str]:
    """A sentence for each module that is not there."""
    names = dict.fromkeys(module_name(engine) for engine in engines if not installed(engine))
    return [MISSING.format(name) for name in names]
