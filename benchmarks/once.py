"""What is done once: a chain of a million operations, an import, entering a recording.

Each in a process of its own. The import's own time is that of a Python that imports the engine,
less that of one that imports numpy; the two take turns.
"""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import time

from benchmarks.child import ROOT, environment, installed

LONG_CHAIN = """
import time
import minigrad as mg
x, factor = mg.ones(4, requires_grad=True), mg.full((4,), 1.0)
y = x
for _ in range(1_000_000):
    y = y * factor
loss = y.sum()
start = time.process_time()
loss.backward()
print(time.process_time() - start)
"""
RECORDING = """
import statistics, time
import minigrad as mg
import whoholds
def empty():
    start = time.process_time()
    with whoholds.record(engine="minigrad"):
        pass
    return time.process_time() - start
print(statistics.median(empty() for _ in range(7)))
"""


def python(code: str) -> float | None:
    """What `code` prints, a number; None if it fails."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    with contextlib.suppress(ValueError):
        return float(done.stdout)
    return None


def lifetime(code: str) -> float:
    """CPU seconds of a Python, from its start to its end."""
    start = of_children()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    return of_children() - start


def of_children() -> float:
    try:
        import resource
    except ImportError:  # Windows: by the clock on the wall
        return time.perf_counter()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def import_seconds(engines, rounds: int) -> dict[str, float]:
    """{engine: seconds that its import takes over numpy's}."""
    found: dict[str, list[float]] = {engine: [] for engine in engines}
    lifetime("import numpy, " + ", ".join(engines))  # the files are in memory from here on
    for _ in range(rounds):
        numpy = lifetime("import numpy")
        for engine, each in found.items():
            each.append(lifetime(f"import {engine}") - numpy)
    return {engine: round(statistics.median(each), 3) for engine, each in found.items()}


def once(rounds: int = 5) -> dict:
    engines = [engine for engine in ("minigrad", "torch") if installed(engine)]
    long_chain, recording = python(LONG_CHAIN), python(RECORDING)
    return {
        "backward of a chain of a million operations, s": long_chain and round(long_chain, 2),
        "entering and leaving an empty recording, s": recording and round(recording, 4),
        **{
            f"import of {engine} over numpy's, s": seconds
            for engine, seconds in import_seconds(engines, rounds).items()
        },
    }
