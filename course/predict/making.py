"""`predict` proves a card before anyone sees it: the run is made, and its answer is an option.

So a card that is wrong fails where it is written, under Run All and in the build alike. Knows the
rules of a good card; refuses to know how one looks.
"""

import contextlib
import io

from .cards import NumberPrediction, Prediction, PredictionError


def predict(
    id,
    question,
    options=None,
    run=None,
    *,
    unit=None,
    wrong=None,
    why="",
    curves=None,
    shown=None,
    form="",
):
    """A card that asks `question`; `run()` gives the answer, and what it prints is swallowed.

    Of several answers: `options` is {text: why one would think so, and what is true}, and `run()`
    gives the text of the right one. With `curves`, {text: [(label, bytes), ...]}, each option is a
    small picture, and `run()` may give the measured curve itself. With `shown`, [(label, bytes),
    ...], one curve is drawn below the question.

    A number: `unit="bytes"` (any word) and no options; `run()` gives the number, `why` explains it
    and `wrong` is {number: why one would think so}.

    `form` names the concept inventory whose score the answer counts for ("A", "B").
    """
    if run is None:
        raise PredictionError(f"prediction '{id}' needs run=, a function that gives the answer")
    if (options is None) == (unit is None):
        raise PredictionError(f"prediction '{id}' needs either options or a unit")
    if unit is not None:
        return _number(id, question, run, unit, wrong or {}, why, form)
    return _one_of(id, question, options, run, curves or {}, shown or [], form)


def _one_of(id, question, options, run, curves, shown, form):
    if len(options) < 2:
        raise PredictionError(f"prediction '{id}' needs at least two options")
    _explained(id, options)
    _drawn(id, options, curves)
    answer = _computed(id, run)
    answer = _alike(id, answer, curves) if isinstance(answer, (list, tuple)) and curves else answer
    if str(answer) not in options:
        known = ", ".join(f"'{option}'" for option in options)
        raise PredictionError(
            f"prediction '{id}': the run answered '{answer}', which is none of "
            f"the options {known}; let run() give one option's exact text"
        )
    return Prediction(id, question, dict(options), str(answer), curves, shown, form)


def _number(id, question, run, unit, wrong, why, form):
    if not str(why).strip():
        raise PredictionError(f"prediction '{id}' needs why=, the explanation of its number")
    _explained(id, wrong)
    answer = _computed(id, run)
    if isinstance(answer, bool) or not isinstance(answer, (int, float)):
        raise PredictionError(
            f"prediction '{id}': the run answered '{answer}', which is no number; "
            "give options instead of a unit"
        )
    if answer in wrong:
        raise PredictionError(
            f"prediction '{id}': {answer} stands among the wrong values, and the run measured it"
        )
    return NumberPrediction(id, question, unit, answer, dict(wrong), why, form)


def _explained(id, options):
    for option, why in options.items():
        if not str(why).strip():
            raise PredictionError(f"prediction '{id}': the option '{option}' has no explanation")


def _drawn(id, options, curves):
    if not curves:
        return
    if list(curves) != list(options):
        raise PredictionError(f"prediction '{id}': options and curves must have the same texts")
    shapes = [_bytes(points) for points in curves.values()]
    if not all(shapes) or any(shape in shapes[:i] for i, shape in enumerate(shapes)):
        raise PredictionError(f"prediction '{id}': every curve needs points, and its own shape")


def _alike(id, measured, curves):
    """The option whose curve the run measured."""
    for option, points in curves.items():
        if _bytes(points) == _bytes(measured):
            return option
    raise PredictionError(
        f"prediction '{id}': the run measured {_bytes(measured)}, which is none of the curves"
    )


def _bytes(points):
    return [int(n) for _, n in points]


def _computed(id, run):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return run()
    except Exception as error:
        error.add_note(f"(while computing the answer of prediction '{id}')")
        raise
