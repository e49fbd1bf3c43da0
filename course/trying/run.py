"""One case on one function: always an outcome, never an exception.

Runs where the learner's code runs, in a kernel or in the grader's child, and gives plain data:
{"value": ...} (with the "line", "curve", "sizes" and what was "alive" of a Found), {"error": ...,
"text": ..., "line": ..., "code": ...}, {"missing": true} for a stub, or {"slow": seconds}; beside
it {"asked": ...}, the calls that the case made (`calls.py`). The outcomes of a case's further draws
stand under "more".
"""

import gc
import linecache
import warnings
from contextlib import ExitStack, contextmanager
from typing import Any

import minigrad as mg
from course.trying import collector, lacking, lines, plain, settled, switches
from course.trying.banned import refused
from course.trying.calls import Answer, Calls, ended, in_call
from course.trying.draw import PRACTICE, Draw
from course.trying.found import Found
from course.trying.stopwatch import PATIENCE, Overdue, Stopwatch, alarm
from course.trying.unasked import Unasked
from course.trying.witness import Witness

SECONDS = 10  # of the processor, for one case in a notebook
SHORTEST = 0.1  # seconds that a draw has if the others took all
IGNORE = "ignore", None, Warning, None, 0  # a filter of warnings
LONGEST = 300  # characters of an error's text


@lacking.told
def run_case(case, function, seed, seconds=SECONDS, witnessed=False, patience=PATIENCE):
    """The outcome of `case` for the learner's `function`, drawn from `seed`.

    All draws together have these seconds, and one that has no value is the last. Whoever practises
    has one draw. `witnessed`, a value has beside it what the run did (`witness.py`), as "did".
    """
    taken = Stopwatch(patience=patience)
    first, *more = seeds_of(case, seed)
    found = _drawn(case, function, first, alarm(seconds, patience), witnessed)
    later: list = []
    for one in more:
        if "value" not in (later or [found])[-1]:
            break
        left = alarm(max(seconds - taken.seconds(), SHORTEST), patience)
        later.append(_drawn(case, function, one, left, witnessed))
    for one in (found, *later):
        if "slow" in one:
            return one | {"slow": seconds}
    return found | ({"more": later} if later else {})


def seeds_of(case, seed):
    """The seed of each draw of the case, the first of which is `seed` itself."""
    draws = 1 if seed == PRACTICE else case.draws
    return [seed, *(f"{seed}/draw {number}" for number in range(2, draws + 1))]


def _drawn(case, function, seed, limit, witnessed):
    """The outcome of one draw."""
    calls, witness = Calls(), Witness() if witnessed else None
    with lines.own([lines.file_of(function)]), no_warnings():
        try:
            with collector.at_rest(), refused(case.exercise), limit, settled.usual():
                with ExitStack() as watched:
                    for one in (witness, Unasked()) if witness else ():
                        watched.enter_context(one)
                    value = _value(case, function, seed, calls)
                found = _outcome(value, function, calls)
                return found | ({"did": witness.told()} if witness else {})
        except Overdue as error:
            return {"slow": True} | calls.told(error=error)
        except plain.NotPlain as error:
            text = str(error).removeprefix("returned ")
            return _error("Returned", text, (None, "")) | calls.told(error=error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            error = lines.theirs(error)
            found = failure(error) | _where(error)
            return {"missing": True} if "missing" in found else found | calls.told(error=error)


@contextmanager
def no_warnings():
    """No warning is shown. The filters that there were are asked nothing, nor is `sys.modules`."""
    module: Any = warnings
    before, module.filters = module.filters, [IGNORE]
    module._filters_mutated()
    try:
        yield
    finally:
        module.filters = before
        module._filters_mutated()


def run_all(cases, function, seed, seconds=SECONDS):
    """{case name: outcome} of all cases."""
    gc.collect()  # what earlier cells left dies before the cases, not within one
    return {case.name: run_case(case, function, seed, seconds) for case in cases}


def is_stub(error):
    """Whether it is the error of an exercise that nobody has begun."""
    return isinstance(error, NotImplementedError) and "not written yet" in words(error)


def words(error):
    """An error's own text; a learner's class may fail to give one."""
    try:
        return str(error)
    except Exception:
        return ""


def failure(error):
    """The outcome of code that raised `error`."""
    if is_stub(error):
        return {"missing": True}
    if isinstance(error, RecursionError):
        return _error(
            "RecursionError", "a function called itself too deep, or for ever", lines.failed(error)
        )
    text = (words(error).splitlines() or [""])[0]
    return _error(type(error).__name__, text, lines.failed(error))


def _where(error):
    """{"where"}: "call", or "case" where the case stumbled over what it had been given."""
    if lines.failed(error)[0] or isinstance(error, RecursionError):
        return {}
    if in_call(error):
        return {"where": "call"}
    return {} if lines.is_engines(error) else {"where": "case"}


def _value(case, function, seed, calls):
    mg.manual_seed(0)
    answer = Answer(function, case.exercise, calls, case.shared)
    try:
        with settled.kept(), switches.kept():
            return case.run(answer, Draw(seed, case.exercise, case.name))
    finally:
        ended()


def _outcome(value, function, calls):
    if type(value) is not Found:
        return {"value": plain.encode(value)} | calls.told(value)
    code = linecache.getline(lines.file_of(function), value.line) if value.line else ""
    place = {"line": value.line, "code": code.strip()[:80]}
    found = {"value": plain.encode(value.value), **place, "curve": _short(value.curve)}
    found |= {"sizes": value.sizes} if value.sizes else {}
    return found | {"alive": value.alive, "when": value.when} | calls.told(value.value)


def _short(curve: list, most=40):
    """At most so many points of a curve; its highest is one of them."""
    width = -(-len(curve) // most)
    parts = [curve[at : at + width] for at in range(0, len(curve), width or 1)]
    highest = [max(part, key=lambda point: point[1]) for part in parts]
    return [[line, size] for line, size in highest]


def _error(kind, text, place):
    return {"error": kind[:60], "text": text[:LONGEST], "line": place[0], "code": place[1]}
