"""`check(f)`: the learner's function, tried at once, with a table and one hint. Never a stack dump.

The draw is the practice one, and what is expected was made by the build. The class grader tries
the same cases with numbers of its own.
"""

import os
from pathlib import Path

from course import golf
from course.curve import curve
from course.predict import record

from . import cases, expected
from .draw import PRACTICE
from .feedback import Feedback
from .judge import judge
from .run import run_all

ROOT = Path(__file__).parents[2]
MODE = "NBGRADER_EXECUTION"
TRIES = 3  # then the solution is offered, passed or not
OTHERWISE = "Write your answer in the cell above, run that cell, then run this one."


class CheckFailed(AssertionError):
    """What nbgrader's Validate shows: one line instead of a traceback."""

    def _render_traceback_(self):
        return [str(self)]


def check(function):
    """Try `function`, an exercise's answer, and show what came of it."""
    exercise = getattr(function, "__name__", None)
    known = cases.of(exercise) if isinstance(exercise, str) else []
    if not known:
        return _say(f"No exercise is called {_name(function)}. {OTHERWISE}")
    try:
        wanted = expected.of(cases.lesson_of(exercise), exercise, [case.name for case in known])
    except expected.NoAnswers as error:
        return _say(f"{exercise} cannot be checked: {error}.")
    outcomes = run_all(known, function, PRACTICE)
    verdicts = [judge(case, outcomes[case.name], wanted[case.name]) for case in known]
    points = _told(Feedback(exercise, verdicts), outcomes, wanted)
    played = None if MODE in os.environ else golf.play(function)
    if played is not None:
        _say(played)
    return points


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
    found = sorted((ROOT / "solutions").glob(f"{lesson}_*.ipynb"))
    late = record.tries(feedback.exercise) >= TRIES
    if not found or record.folder() is None or not (feedback.passed or late):
        return None
    words = "Compare with" if feedback.passed else f"That was try {TRIES} or more. Look at"
    path = Path(os.path.relpath(found[0], Path.cwd())).as_posix()
    return f"{words} one way to do it, and why:", path


def _picture(feedback, outcomes, wanted):
    """The learner's bytes over the wanted ones, for the first case that failed and has a curve."""
    for verdict in feedback.verdicts:
        mine = outcomes[verdict.case].get("curve")
        if not verdict.passed and mine:
            other = wanted[verdict.case]["curve"] or [(0, 0)]  # the reference made no bytes
            longest = max(len(mine), len(other))
            labels = [f"line {line}" for line, _ in mine] + [""] * (longest - len(mine))
            series = {"yours": mine, "wanted": other}
            return curve(
                {
                    name: [(label, n) for label, (_, n) in zip(labels, points, strict=False)]
                    for name, points in series.items()
                },
                title=f"{feedback.exercise}: bytes of your call, line by line",
            )
    return None


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
