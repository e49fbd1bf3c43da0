"""`check(f)`: the learner's function, tried at once, with a table and one hint. Never a stack dump.

The draw is the practice one, and what is expected was made by the build. The class grader tries
the same cases with numbers of its own.
"""

import os
import sys
from pathlib import Path

from course.pictures import curve
from course.predict import record
from course.trying import budget, cases, expected, golf
from course.trying.draw import PRACTICE
from course.trying.feedback import Feedback
from course.trying.judge import verdicts
from course.trying.run import run_all

ROOT = Path(__file__).parents[2]
MODE = "NBGRADER_EXECUTION"
CURVE = 3  # points, from which on they are drawn
MOST = "The most bytes on each line while `{}` runs: {}. At most {:,} B are allowed."
TRIES = 3  # then the solution is offered, passed or not
OTHERWISE = "Write your answer in the cell above, run that cell, then run this one."


class CheckFailed(AssertionError):
    """What nbgrader's Validate shows: one line instead of a traceback."""

    def _render_traceback_(self):
        return [str(self)]


def check(function):
    """Try `function`, an exercise's answer, and show what came of it."""
    exercise = _exercise(function, sys._getframe(1).f_globals)
    known = cases.of(exercise)
    if not known:
        return _say(f"No exercise is called {_name(function)}. {OTHERWISE}")
    try:
        wanted = expected.of(cases.lesson_of(exercise), exercise, [case.name for case in known])
    except expected.NoAnswers as error:
        return _say(f"{exercise} cannot be checked: {error}.")
    outcomes = run_all(known, function, PRACTICE)
    found = verdicts(known, outcomes, wanted)
    points = _told(Feedback(exercise, found), outcomes, wanted)
    played = None if MODE in os.environ else golf.play(function)
    if played is not None:
        _say(played)
    return points


def _exercise(function, names):
    """The id: the function's name, or the exercise's name that leads to it (a lambda has none)."""
    own = getattr(function, "__name__", "")
    if isinstance(own, str) and cases.of(own):
        return own
    return next((name for name, it in names.items() if it is function and cases.of(name)), "")


def _told(feedback, outcomes, wanted):
    """Show it, in a notebook or under nbgrader; the latter wants points, or one error."""
    mode = os.environ.get(MODE, "")
    if not mode:
        feedback.closing = _closing(feedback)
        feedback.link = _solution(feedback)
    if mode == "validate" and not feedback.passed:
        raise CheckFailed(repr(feedback))
    _say(feedback)
    picture = _picture(feedback, outcomes, wanted)
    if picture is not None:
        _say(picture)
    return feedback.points if mode == "autograde" else None


def _closing(feedback):
    """What could not be recorded, or what to do first."""
    if feedback.missing:
        return [OTHERWISE]
    note = record.record_exercise(feedback.exercise, feedback.passed)
    return [note] if note else []


def _solution(feedback):
    """(words, path) of the solution, after a pass or enough tries of a learner."""
    lesson = cases.lesson_of(feedback.exercise)
    my, late = record.folder(), record.tries(feedback.exercise) >= TRIES
    if my is None or not (feedback.passed or late):
        return None
    # The learner's own copy first: what it links to are the learner's own exercises.
    places = (root.glob(f"solutions/{lesson}_*.ipynb") for root in (my, ROOT))
    found = [path for place in places for path in sorted(place)]
    if not found:
        return None
    words = "Compare with" if feedback.passed else f"That was try {TRIES} or more. Look at"
    path = Path(os.path.relpath(found[0], Path.cwd())).as_posix()
    return f"{words} one way to do it, and why:", path


def _picture(feedback, outcomes, wanted):
    """The learner's bytes beside the most allowed, for the first failed case that has a curve.

    A curve of a few points is said in a sentence: it would be a chart as large as any.
    """
    for verdict in feedback.verdicts:
        mine, right = outcomes[verdict.case].get("curve"), wanted[verdict.case]
        if not verdict.passed and not verdict.waits and mine:
            peak = _allowed(feedback.exercise, verdict.case, right)
            labels = [f"line {line}" if line else "the check" for line, _ in mine]
            if len(mine) < CURVE:
                parts = [f"{n:,} B on {at}" for at, (_, n) in zip(labels, mine, strict=True)]
                return MOST.format(feedback.exercise, ", ".join(parts), peak)
            series = {
                "yours": [(label, n) for label, (_, n) in zip(labels, mine, strict=True)],
                "most allowed": [("", peak) for _ in mine],
            }
            return curve(series, title=f"{feedback.exercise}: the most bytes on each line")
    return None


def _allowed(exercise, name, wanted):
    """The bytes of the case's budget; those of the reference's peak where it counts in U."""
    peak = max((n for _, n in wanted.get("curve", [])), default=0)
    (case,) = (case for case in cases.of(exercise) if case.name == name)
    most = budget.most(case.at_most, wanted.get("sizes", {})) if case.at_most else 0
    return max(peak, most)


def _name(function):
    name = getattr(function, "__name__", None)
    return f"`{name}`" if isinstance(name, str) else f"what was given ({type(function).__name__})"


def _say(shown):
    """Display it in a notebook, print it elsewhere."""
    from IPython import get_ipython
    from IPython.display import display

    if get_ipython() is None or isinstance(shown, str):
        print(shown)
    else:
        display(shown)
