"""An outcome, beside what the reference gave, becomes a verdict: points, and one sentence of help.

Plain data in, plain data out; no learner's code runs here. A hint says what was mistaken and where
to look, in at most 40 words, and never the answer.
"""

from dataclasses import asdict, dataclass, replace

from . import budget, plain
from .cases import Raised

STOPPED = "Your code stopped with this error: which value on that line is not what you think?"
UNUSABLE = (
    "Your function came to its end, but what it gave or left could not be used: see the card."
)
NAME = "The name is not defined in this cell or the set-up cell: define it inside the function."
FIRST = "This counts once the values above are right."
LATER = "{}: enough, once the values above are right"
OVERDUE = "This took longer than {} s: a loop that never ends?"
NOTHING = "Your function returned None: is a `return` missing?"


@dataclass(frozen=True)
class Verdict:
    """One row of the table, all of it text but the points."""

    case: str
    points: int
    of: int
    expected: str
    got: str
    line: str  # "line 3: h = x @ w", or ""
    hint: str  # "" when passed
    missing: bool = False  # nothing was written yet

    @property
    def passed(self):
        return self.points == self.of

    def as_dict(self):
        return asdict(self)


def verdicts(known, outcomes, wanted, one=None):
    """The verdicts on all cases of an exercise, in their order.

    What an answer costs counts only where every value before it is right: to do nothing costs
    nothing. `one` judges a single case.
    """
    found, right = [], True
    for case in known:
        outcome = outcomes.get(case.name, {"missing": True})
        verdict = (one or judge)(case, outcome, wanted[case.name])
        if case.at_most is None and not case.cost:
            right = right and verdict.passed
        elif verdict.passed and not right:
            verdict = replace(verdict, points=0, got=LATER.format(verdict.got), hint=FIRST)
        found.append(verdict)
    return found


def judge(case, outcome, wanted):
    """The verdict on `outcome`; `wanted` is the reference's outcome of the same draw."""
    if "value" not in wanted:
        raise ValueError(
            f"the reference solution of {case.exercise} fails '{case.name}': {wanted}; mend it"
        )
    want, line = wanted["value"], _line(outcome)
    expected = "-" if case.secret else _expected(case, wanted)
    if outcome.get("missing"):
        return Verdict(case.name, 0, case.points, expected, "not written yet", "", "", True)
    if "value" not in outcome:
        got, hint = _failure(case, outcome, want)
        return Verdict(case.name, 0, case.points, expected, got, line, hint)
    value = outcome["value"]
    if _right(case, value, wanted):
        return Verdict(case.name, case.points, case.points, expected, plain.shown(value), "", "")
    hint = _hint(case, plain.decoded(value), want, _default(case, value))
    return Verdict(case.name, 0, case.points, expected, plain.shown(value), line, hint)


def _right(case, value, wanted):
    if case.at_most is None:
        return plain.same(value, wanted["value"])
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= budget.most(case.at_most, wanted.get("sizes", {}))


def _expected(case, wanted):
    if case.at_most is None:
        return plain.shown(wanted["value"])
    return budget.shown(case.at_most, wanted.get("sizes", {}))


def _failure(case, outcome, want):
    if "error" in outcome:
        kind, text = outcome["error"], outcome.get("text", "")
        stopped = STOPPED if outcome.get("line") else UNUSABLE
        default = NAME if kind == "NameError" else stopped
        return plain.shown(f"{kind}: {text}"), _hint(case, Raised(kind, text), want, default)
    if "slow" in outcome:
        return f"nothing within {outcome['slow']} s", OVERDUE.format(outcome["slow"])
    if "ended" in outcome:
        return outcome["ended"], "Grading went on with the next case in a new process."
    return "not tried", outcome.get("untried", "an earlier case ended the program")


def _default(case, value):
    """The hint for a wrong value where the case has no better one."""
    if value is None:
        return NOTHING
    return case.hint if isinstance(case.hint, str) else ""


def _hint(case, got, want, default):
    try:
        own = case.hint(got, plain.decoded(want)) if callable(case.hint) else None
    except Exception:  # it did not foresee such a value; the verdict stands without it
        own = None
    return own or default or "Compare what you got with what was expected."


def _line(outcome):
    number = outcome.get("line")
    if not number:
        return ""
    code = outcome.get("code", "").strip()
    return f"line {number}: {code}" if code else f"line {number}"
