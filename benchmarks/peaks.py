"""The most bytes that a step holds, beside parameters and data, by a ledger: no clock is involved.

    python -m benchmarks.peaks CASE

prints {engine: bytes} as JSON, of the engines that have a ledger.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

from benchmarks.case import Case, module, module_name
from benchmarks.child import installed

WATCHED = "minigrad", "torch"


def of(case: Case) -> dict[str, int]:
    watched = [e for e in case.engines if module_name(e) in WATCHED and installed(e)]
    return {engine: peak(case, engine) for engine in watched}


def peak(case: Case, engine: str) -> int:
    """Of steps made anew: PyTorch's ledger must see how parameters and data are made."""
    with ledger(engine) as memory:
        step = case.step(engine)
        held = memory.memory_allocated()
        step()
        memory.reset_peak_memory_stats()
        step()
        return memory.max_memory_allocated() - held


def ledger(engine: str) -> Any:
    """minigrad's own, or the one that the course lends to PyTorch."""
    if module_name(engine) == "minigrad":
        return contextlib.nullcontext(module(engine).memory)
    from course.twin.tracker import as_mg

    return as_mg()


if __name__ == "__main__":
    from benchmarks.cases import CASES

    print(json.dumps(of(CASES[sys.argv[1]])))
