"""Rooms for tests: one of each mode a module, with the cases of `grade_cases_99.py`."""

from pathlib import Path

import pytest

from course.grade import isolate
from course.grade.room import Room
from course.grade.watch import Limits

CASES = Path(__file__).with_name("grade_cases_99.py")


def rooms(**limits):
    """A fixture: a plain room, then an isolated one, which is skipped where it is refused."""

    @pytest.fixture(scope="module", params=["plain", "isolate"])
    def room(request):
        isolated = request.param == "isolate"
        if isolated and isolate.why_not():
            pytest.skip(isolate.why_not())
        with Room(isolated, load=[CASES], limits=Limits(**limits)) as one:
            yield one

    return room


def job(*sources):
    """The exercise `total`, answered by these cells."""
    cells = [{"name": f"cell {n}", "source": source} for n, source in enumerate(sources, 2)]
    return {"lesson": "99", "exercise": "total", "cells": cells, "seed": "of this test"}
