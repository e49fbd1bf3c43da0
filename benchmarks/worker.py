"""The process of one engine: it answers each line on stdin with a line of JSON.

    losses N       what the first N steps return, as numbers
    time SECONDS   the median CPU time of steps that take about so long together, and page faults
    peak           the most bytes that a step holds, beside parameters and data

Refuses to know the other engines.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable

from benchmarks.case import module

LEAST, MOST = 3, 1000  # steps a round


def main(case_name: str, engine: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an engine prints is no answer
    from benchmarks.cases import CASES

    case = CASES[case_name]
    module(engine)
    pin()  # from here on; imports may use every core
    asked: dict = {}
    for line in sys.stdin:
        command, *words = line.split()
        answer = COMMANDS[command](case, engine, asked, *words)
        print(json.dumps(answer), file=answers, flush=True)


def pin() -> None:
    """One core, the same for every engine."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def prepared(case, engine, asked):
    """The engine's step, made at the first question."""
    if "step" not in asked:
        asked["step"] = case.step(engine)
    return asked["step"]


def losses(case, engine, asked, count) -> list[list[float]]:
    step = prepared(case, engine, asked)
    return [numbers(step()) for _ in range(int(count))]


def numbers(result) -> list[float]:
    """The loss; and of a gradient the sum of its absolute values."""
    return [absolute_sum(value) for value in (result if isinstance(result, tuple) else (result,))]


def absolute_sum(value) -> float:
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return float(np.abs(np.asarray(value), dtype=np.float64).sum())


def timed(case, engine, asked, seconds) -> dict:
    step = prepared(case, engine, asked)
    with case.context(engine):
        once = seconds_of(step)  # discarded, but for what it says of the size of a step
        steps = max(LEAST, min(MOST, int(float(seconds) / max(once, 1e-9))))
        faults = page_faults()
        times = [seconds_of(step) for _ in range(steps)]
        faults = page_faults() - faults
    return {"seconds": statistics.median(times), "steps": steps, "faults": faults / steps}


def seconds_of(step) -> float:
    start = time.process_time()
    step()  # what it returns is dropped before the clock is read: the graph's end counts too
    return time.process_time() - start


def page_faults() -> int:
    with contextlib.suppress(ImportError):  # Windows has none
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    return 0


def peak(case, engine, asked) -> int:
    """Of steps made anew: PyTorch's ledger must see how parameters and data are made."""
    with ledger(engine) as memory:
        step = case.step(engine)
        held = memory.memory_allocated()
        step()
        memory.reset_peak_memory_stats()
        step()
        return memory.max_memory_allocated() - held


def ledger(engine):
    """minigrad's own, or the one that the course lends to PyTorch."""
    if engine.startswith("minigrad"):
        import minigrad

        return contextlib.nullcontext(minigrad.memory)
    from course.twin.tracker import as_mg

    return as_mg()


COMMANDS: dict[str, Callable] = {"losses": losses, "time": timed, "peak": peak}

if __name__ == "__main__":
    main(*sys.argv[1:])
