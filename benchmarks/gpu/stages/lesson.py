"""Lesson 14's cells in their order, and the record of what they printed, for the lesson to show.

Its cards are not shown here: the question's answer is computed all the same, and must be one of the
card's options, or a number.
"""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path

import minigrad as mg
from benchmarks.gpu import cells
from benchmarks.gpu.place import Place
from benchmarks.gpu.row import FAILED, PASSED, Row, in_a_line, left_out

LESSON = Path(__file__).resolve().parents[3] / "lessons" / "14_on_the_gpu.py"
CELLS, CLOCK = "cells of lesson 14", "a clock around a product"
SIDE = 8192


def rows(place: Place) -> Iterator[Row]:
    sys.modules["course.predict"] = cards()
    names: dict = {"__name__": "__main__"}
    for cell in cells.cells(LESSON):
        yield row(cell, names)
    if place.simulated:
        yield left_out(CLOCK, "not on a simulated card: nothing is ever under way there")
    else:
        yield clock()


def row(cell: cells.Cell, names: dict) -> Row:
    try:
        printed = cells.run(cell, names)
    except Exception as error:  # the cells after it are to be seen
        return Row(CELLS, cell.name, FAILED, in_a_line(error))
    return Row(CELLS, cell.name, PASSED, figures={"cell": cell.name, "prints": printed})


def cards() -> types.ModuleType:
    """What stands for `course.predict`, which needs IPython."""
    module = types.ModuleType("course.predict")
    module.__dict__["predict"] = predict
    return module


def predict(id, question, options=None, run=None, **more):
    """Print the computed answer; an AssertionError if the card would not have it."""
    assert run is not None, f"{id} has nothing to run"
    answer = run()
    assert options is None or answer in options, f"{id}: {answer!r} is none of the card's options"
    assert options is not None or isinstance(answer, (int, float)), f"{id}: {answer!r}"
    print(f"{id}: {answer}")


def clock() -> Row:
    """Section 6: milliseconds until a product was ordered, and until it was done."""
    x, w = (mg.ones(SIDE, SIDE, device="cuda") for _ in range(2))
    first = x @ w  # the library's handles and kernels are made once
    mg.cuda.synchronize()
    start = time.perf_counter()
    y = x @ w
    ordered = time.perf_counter() - start
    mg.cuda.synchronize()
    done = time.perf_counter() - start
    assert y.shape == first.shape
    text = f"{SIDE} x {SIDE} floats: ordered after {ordered * 1e3:.3f} ms, done after "
    text += f"{done * 1e3:.3f} ms\n"
    return Row(CLOCK, "14.clock", PASSED, text, {"cell": "14.clock", "prints": text})
