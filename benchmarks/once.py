"""What is measured once: bytes of a node, a first `%%step`, an empty recording, an import.

Each in a process of its own. A first `%%step` finds the bytecode of what it imports, which Python
has written in a run before: so it is in each session but the first after an installation. An
import's own time is that of a Python that imports the engine, less that of one that imports numpy;
the two take turns.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.child import ROOT, Died, environment, installed, python

BYTES_OF_A_NODE = """
import importlib, sys, psutil
mg = importlib.import_module(sys.argv[1])
x, factor, term = mg.ones(4, requires_grad=True), mg.full((4,), 1.0), mg.full((4,), 0.0)
def resident():
    return psutil.Process().memory_info().rss
def chain(nodes):
    y = x
    for _ in range(nodes // 2):
        y = y * factor
        y = y + term
    return y
chain(1000)  # what is made at first use is no node's
before = resident()
y = chain(200_000)
print((resident() - before) / 200_000)
"""
FIRST_STEP = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "whoholds.step")
cell = '''%%step
import minigrad as mg
a = mg.tensor([1.0, 2.0], requires_grad=True)
loss = (a * a).sum()
loss.backward()
'''
start = time.process_time()
shell.run_cell(cell).raise_error()
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
ROUNDS = 5


def once() -> dict:
    """{what: its figure, or why there is none}; those with a bar have their names from bars.py."""
    engines = [engine for engine in ("minigrad", "torch") if installed(engine)]
    return {
        **bytes_of_a_node(engines),
        "first %%step, s": first_step(),
        "entering and leaving an empty recording, s": figure(RECORDING),
        **{
            f"import of {engine} over numpy's, s": seconds
            for engine, seconds in import_seconds(engines).items()
        },
    }


def first_step() -> float | str:
    """CPU seconds of the first `%%step` of a session."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        figure(FIRST_STEP, **kept)
        return figure(FIRST_STEP, **kept)


def figure(code: str, *words: str, **variables: str) -> float | str:
    """What `code` prints in its last line."""
    try:
        return round(float(python("-c", code, *words, **variables).splitlines()[-1]), 4)
    except Died as death:
        return f"not measured: {death}"


def bytes_of_a_node(engines: list[str]) -> dict:
    found = {f"bytes of a node, {engine}": figure(BYTES_OF_A_NODE, engine) for engine in engines}
    numbers = [value for value in found.values() if isinstance(value, float)]
    if len(numbers) == 2:
        found["bytes of a node, minigrad over torch"] = round(numbers[0] / numbers[1], 2)
    return found


def import_seconds(engines: list[str]) -> dict[str, float]:
    """{engine: seconds that its import takes over numpy's}."""
    found: dict[str, list[float]] = {engine: [] for engine in engines}
    lifetime("import numpy, " + ", ".join(engines))  # the files are in memory from here on
    for _ in range(ROUNDS):
        numpy = lifetime("import numpy")
        for engine, each in found.items():
            each.append(lifetime(f"import {engine}") - numpy)
    return {engine: round(statistics.median(each), 3) for engine, each in found.items()}


def lifetime(code: str) -> float:
    """CPU seconds of a Python, from its start to its end."""
    start = of_children()
    command = [sys.executable, "-c", code]
    subprocess.run(command, cwd=ROOT, env=environment(), check=True, capture_output=True)
    return of_children() - start


def of_children() -> float:
    try:
        import resource
    except ImportError:  # Windows: by the clock on the wall
        return time.perf_counter()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
