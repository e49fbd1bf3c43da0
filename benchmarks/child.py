"""A Python of its own for whatever is measured: one thread, and no setting that slows numpy down.

Refuses to know what is measured.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.case import module_name

ROOT = Path(__file__).resolve().parent.parent
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in THREADS}
# Set for the sake of old builds of OpenBLAS, they choose the kernels of another processor.
UNFAIR = "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"
MISSING = '{0} is not installed and is left out: `pip install -e ".[bench]"` brings it.'


class Died(Exception):
    """The text is the last words of a child."""


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in UNFAIR} | ONE_THREAD


def python(*arguments, **variables) -> str:
    """What a new Python prints, with these variables of the environment beside the usual ones."""
    command, around = [sys.executable, *map(str, arguments)], environment() | variables
    done = subprocess.run(command, cwd=ROOT, env=around, capture_output=True, text=True)
    if done.returncode:
        raise Died(last_words(done.stderr, done.returncode))
    return done.stdout


def ask(module: str, *words) -> Any:
    """The answer of a module, which is the last line that it prints."""
    return json.loads(python("-m", f"benchmarks.{module}", *words).splitlines()[-1])


def last_words(text: str, code: int) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else f"exit code {code}, without a word."


def installed(engine: str) -> bool:
    return importlib.util.find_spec(module_name(engine)) is not None


def missing(engines) -> list[str]:
    """A sentence for each module that is not there."""
    names = dict.fromkeys(module_name(engine) for engine in engines if not installed(engine))
    return [MISSING.format(name) for name in names]
