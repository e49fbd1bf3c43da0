"""Rooms for tests: one of each mode a module, with the cases of `sandbox_cases_99.py`."""

from functools import cache
from pathlib import Path

import pytest

from course.sandbox.room import Refused, Room
from course.sandbox.watch import Limits

OPEN: list = []  # the rooms of the tests that run
CASES = Path(__file__).with_name("sandbox_cases_99.py")


@cache
def refusal():
    """None, or a sentence that says why this machine cannot isolate; it is tried."""
    try:
        with Room(isolate=True):
            return None
    except Refused as refused:
        return str(refused)


def skip_unless_isolated():
    if refusal():
        pytest.skip(refusal())


def rooms(**limits):
    """A fixture: a plain room, then an isolated one, which is skipped where it is refused."""

    @pytest.fixture(scope="module", params=["plain", "isolate"])
    def room(request):
        isolated = request.param == "isolate"
        if isolated:
            skip_unless_isolated()
        with Room(isolated, load=[CASES], limits=Limits(**limits)) as one:
            OPEN.append(one)
            yield one
            OPEN.remove(one)

    return room


def job(*sources):
    """The exercise `total`, answered by these cells."""
    cells = [{"name": f"cell {n}", "source": source} for n, source in enumerate(sources, 2)]
    return {"lesson": "99", "exercise": "total", "cells": cells, "seed": "of this test"}
