"""What the learner's own lines asked for that PyTorch has and minigrad lacks.

It is told before any other diagnosis, also where the learner's `try` has swallowed the error: a
program that goes on without what it asked for goes wrong later, and elsewhere.
"""

from dataclasses import replace
from functools import wraps

from course.trying import lines
from minigrad import missing

OWN = "AttributeError", "ImportError", "ModuleNotFoundError"


def told(run_case):
    """A run_case whose outcome has, under "lacking", the first name that the function asked for."""

    @wraps(run_case)
    def inside(case, function, *more, **named):
        missing.asked.clear()
        return run_case(case, function, *more, **named) | first(lines.file_of(function))

    return inside


def first(file):
    """{"lacking": a sentence} of the first such name in this file that is remembered, or {}."""
    one = next((one for one in missing.asked if one.file == file), None)
    return {"lacking": f"Line {one.line}: {one.sentence}"} if one else {}


def first_of_all(verdict, outcome):
    """The verdict; if it failed, its hint begins with what was lacking."""
    said = outcome.get("lacking")
    if not said or verdict.passed:
        return verdict
    rest = "" if outcome.get("error") in OWN else f" {verdict.hint}"
    return replace(verdict, hint=said + rest)
