"""An outcome, beside what the reference gave, becomes a verdict: points, and one sentence of help.

Plain data in, plain data out; no learner's code runs here. First it is told whose error it was, or
what was of a wrong type or shape; then comes the case's own hint, in at most 40 words, and never
the answer.
"""

from dataclasses import asdict, dataclass, replace

from course.trying import budget, cases, differ, forms, lacking, order, plain, told
from course.trying.banned import Banned
from course.trying.cases import Raised

WORDS = 40  # of a hint, at most
STOPPED = "Your code stopped with this error: which value on that line is not what you think?"
UNUSABLE = (
    "Your function came to its end, but what it gave or left could not be used: see the card."
)
CALL = "The call itself failed, in no line of yours. Python says: {}."
LEFT_NONE = (
    "Your function came to its end, but where something was wanted of it there was None: is a "
    "`return` missing in it, or a gradient?"
)
OTHER_KIND = "Your function returned {}, expected {}."
ONE_KIND = "Your function returned {}: a wrong kind of value."
ORDERS = {
    "pair": "Both values are right, and they have changed places.",
    "two": "The values are right, but two of them have changed places.",
    "turned": "The values are right, but stand from the last to the first.",
}
NO_VALUE = {  # errors that come of no value on the line
    "NameError": "The name is not defined in this cell or the set-up cell: define it inside the "
    "function.",
    **dict.fromkeys(
        ("ImportError", "ModuleNotFoundError"),
        "The import failed where answers are run. What the set-up cell imports is enough for this.",
    ),
}
FIRST = "This counts once '{}' is right."
LATER = "{}: all right; counts once '{}' is right, too"
GIVEN = "{}: right as it was given; counts once something is mended"
MEND = "The cell had this right before you began. It counts once you have mended something."
OVERDUE = "This took longer than {} s: a loop that never ends?"
HIDDEN = "-"
UNTRIED = {"untried": "the numbers before these ended the program"}
NOTHING = "Your function returned None: is a `return` missing?"
COMPARE = "Compare what you got with what was expected."
WORK_OUT = "Work out once more what is named as wrong."


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
    call: str = ""  # "held_by_chain(['tanh'], 12, 33)", where it can be told which it was
    alive: str = ""  # "alive at the peak: 3 tensors of shape (32, 4), ...", or ""
    waits: bool = False  # right, and it counts once another case is
    kept: str = ""  # what was expected, where `expected` keeps it from the learner

    @property
    def passed(self):
        return self.points == self.of

    def as_dict(self):
        return asdict(self)


def verdicts(known, outcomes, wanted, one=None):
    """The verdicts on all cases of an exercise, in their order.

    What an answer costs, or what is the same whatever was drawn, counts only where the values that
    it needs are right: to do nothing costs nothing. What a repair was given with counts where
    something else does. `one` judges a single case.
    """
    found: dict[str, Verdict] = {}
    for case in known:
        outcome = outcomes.get(case.name, {"missing": True})
        verdict = (one or judge)(case, outcome, wanted[case.name])
        found[case.name] = lacking.first_of_all(verdict, outcome)
    counted = [_counted(case, found, known) for case in known]
    if any(row.passed and not case.given for case, row in zip(known, counted, strict=True)):
        return counted
    return [_as_given(row) if row.passed else row for row in counted]


def _counted(case, found, known):
    """The verdict on the case, which waits if one that it needs does not count."""
    first = next((n.name for n in case.needed(known) if not _counted(n, found, known).passed), None)
    verdict = found[case.name]
    return verdict if first is None or not verdict.passed else _waiting(verdict, first)


def _waiting(verdict, first):
    return _later(verdict, LATER.format(verdict.got, first), FIRST.format(first))


def _as_given(verdict):
    return _later(verdict, GIVEN.format(verdict.got), MEND)


def _later(verdict, got, hint):
    return replace(verdict, points=0, got=got, hint=hint, line="", alive="", waits=True)


def judge(case, outcome, wanted):
    """The verdict on `outcome`; `wanted` is the reference's outcome of the same draws.

    Of several draws it is that on the first which is wrong, or else that on the first of all.
    """
    outcomes, found = [outcome, *outcome.get("more", [])], []
    for number, right in enumerate([wanted, *wanted.get("more", [])]):
        found.append(_judge(case, (outcomes[number:] or [UNTRIED])[0], right))
    return next((verdict for verdict in found if not verdict.passed), found[0])


def _judge(case, outcome, wanted):
    """The verdict on one draw."""
    if "value" not in wanted:
        raise ValueError(
            f"the reference solution of {case.exercise} fails '{case.name}': {wanted}; mend it"
        )
    verdict = _judged(case, outcome, wanted)
    if verdict.expected != HIDDEN or case.secret:
        return verdict
    return replace(verdict, kept=_kept(case, verdict, outcome, wanted))


def _kept(case, verdict, outcome, wanted):
    """What was expected; where that looks like what came, and is not, what tells them apart."""
    stated = _stated(case, wanted)
    if verdict.passed or "value" not in outcome:
        return stated
    value = plain.like(outcome["value"], wanted["value"])
    return differ.both(value, wanted["value"])[1] if plain.shown(value) == stated else stated


def _judged(case, outcome, wanted):
    want = wanted["value"]
    if outcome.get("missing"):
        expected = _expected(case, wanted)
        return Verdict(case.name, 0, case.points, expected, "not written yet", "", "", True)
    if "value" not in outcome:
        return _failed(case, outcome, wanted)
    value = outcome["value"] if case.exact else plain.like(outcome["value"], want)
    if _right(case, outcome["value"], wanted):
        return _passed(case, value, wanted)
    return _wrong(case, outcome, value, wanted)


def _passed(case, value, wanted):
    """Right values are shown as the reference had them: the same digits on every machine."""
    shown = plain.shown(value if case.is_cost else wanted["value"])
    bounded = case.at_most is not None
    expected = HIDDEN if case.secret else _expected(case, wanted) if bounded else shown
    return Verdict(case.name, case.points, case.points, expected, shown, "", "")


def _right(case, value, wanted):
    if case.at_most is None:
        return plain.same(value, wanted["value"], case.exact)
    value = plain.like(value, wanted["value"])
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= budget.most(case.at_most, wanted.get("sizes", {}))


def _expected(case, wanted):
    """What the table says before anything has been compared."""
    return HIDDEN if _is_hidden(case) else _stated(case, wanted)


def _stated(case, wanted):
    if case.at_most is None:
        return plain.shown(wanted["value"])
    return budget.shown(case.at_most, wanted.get("sizes", {}))


def _is_hidden(case):
    """An answer worked out by hand stays the learner's to find."""
    return case.secret or not case.is_cost and cases.predicted(case.exercise)


# --- a wrong value ---------------------------------------------------------------------------


def _wrong(case, outcome, value, wanted):
    want = wanted["value"]
    got, expected = plain.shown(value), _expected(case, wanted)
    alien = None if case.is_cost or case.what else told.alien(outcome, wanted)
    if alien and len(told.gaves(outcome)) == 1:
        got = plain.cut(f"returned {alien[0]}", differ.MOST)
    elif _is_hidden(case):
        got = got if case.secret else differ.wrong(value, want, case.names)
    elif case.at_most is None:
        got, expected = differ.both(value, want, case.names)
    path = differ.first(value, want) if case.at_most is None else ()
    return Verdict(
        case.name, 0, case.points, expected, got, told.line(outcome),
        _of_kind(case, alien, value, want)
        or _of_order(case, outcome, value, want)
        or _hint(case, value, want, _is_missing(case, outcome, wanted)),
        call=told.call(outcome, path), alive=told.alive(outcome),
    )  # fmt: skip


def _of_kind(case, alien, value, want):
    """The sentence about what was returned, where that is of another kind; else ""."""
    if not alien:
        return ""
    said = OTHER_KIND.format(*alien) if alien[1] else ONE_KIND.format(alien[0])
    more = case.returns or case.forms and _own(case, plain.decoded(value), want) or ""
    return f"{said} {more}".strip() if len(f"{said} {more}".split()) <= WORDS else said


def _of_order(case, outcome, value, want):
    """The sentence about the right values in disorder, if the value is what one call returned."""
    gaves = told.gaves(outcome)
    if case.is_cost or len(gaves) > 1 or not isinstance(value, list):
        return ""
    if forms.count(gaves[0]) != len(value):
        return ""
    said = order.of(value, want)
    return f"{ORDERS[said]} {case.returns}".strip() if said else ""


def _is_missing(case, outcome, wanted):
    """Whether nothing was returned where the reference returns something."""
    return not case.what and told.gave(outcome) == "None" and told.gave(wanted) not in ("", "None")


def _hint(case, value, want, missing):
    """Of a wrong type or shape; else the case's own."""
    if value is None and not case.forms and missing:
        return f"{NOTHING} {case.returns}".strip()
    form = None if case.forms else forms.mismatch(value, want)
    if form:
        return f"{forms.sentence(form, case.what)} {case.returns}".strip()
    own = _own(case, plain.decoded(value), want)
    if not own and case.forms and (form := forms.mismatch(value, want)):
        own = forms.sentence(form, case.what)
    return own or _default(case)


def _default(case):
    if isinstance(case.hint, str) and case.hint:
        return case.hint
    return WORK_OUT if _is_hidden(case) else COMPARE


def _own(case, got, want):
    try:
        return case.hint(got, plain.decoded(want)) if callable(case.hint) else None
    except Exception:  # it did not foresee such a value; the verdict stands without it
        return None


# --- no value --------------------------------------------------------------------------------


def _failed(case, outcome, wanted):
    got, hint = _failure(case, outcome, wanted)
    return Verdict(
        case.name, 0, case.points, _expected(case, wanted), got, told.line(outcome), hint,
        call=told.call(outcome, None),
    )  # fmt: skip


def _failure(case, outcome, wanted):
    if "error" in outcome:
        return _error(case, outcome, wanted)
    if "slow" in outcome:
        return f"nothing within {outcome['slow']} s", OVERDUE.format(outcome["slow"])
    if "ended" in outcome:
        return outcome["ended"], "Grading went on with the next case in a new process."
    return "not tried", outcome.get("untried", "an earlier case ended the program")


def _error(case, outcome, wanted):
    """The learner's own error as theirs; one of the case's own as what they returned."""
    kind, text = outcome["error"], outcome.get("text", "")
    shown = plain.shown(f"{kind}: {text}" if text else kind)
    if kind == Banned.__name__:
        return shown, text
    if not told.began(case, outcome):
        return shown, CALL.format(text.rstrip("."))
    own = _own(case, Raised(kind, text, bool(outcome.get("line"))), wanted["value"])
    if outcome.get("line"):
        return shown, own or NO_VALUE.get(kind, STOPPED)
    gave, right = told.gave(outcome), told.gave(wanted)
    if forms.alike(gave, right) or right == "None":
        left_none = gave != "None" and text.startswith("'NoneType' ")
        if outcome.get("where") == "case":  # the error's words are of what the case did with it
            shown = plain.cut(f"returned {gave}" if gave else "nothing of use", differ.MOST)
            return shown, own or (LEFT_NONE if left_none else UNUSABLE)
        return shown, own or UNUSABLE
    if gave == "None":
        return "returned None", f"{NOTHING} {case.returns}".strip()
    said = f"Your function returned {gave}, expected {forms.general(right)}. {case.returns}"
    return plain.cut(f"returned {gave}", differ.MOST), said.strip()
