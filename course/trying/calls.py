"""Which calls a case made of the learner's answer, as text, while the answer itself runs.

The case is given an Answer in place of the function or class: it notes each call and hands it on.
It keeps no argument and no result. For as long as a call lasts, the tuple of its arguments is
held, as `measure` and `Function.apply` hold it anyway. A class that is called gives its instance,
and what is asked of that is not noted.
"""

import itertools
import sys
from types import FrameType, FunctionType

import numpy as np

from course.trying import collector, forms, plain, settled, switches, witness
from course.trying.lines import identity
from minigrad.core.frames import entries_of, variables_of

LONGEST = 110  # characters of a call
MOST = 64  # calls; of a case that makes more, none is told
AS_DEEP = 40  # frames, in a guarded process
_back_of = FrameType.__dict__["f_back"].__get__
SIMPLE = int, float, str, bool, type(None)
_at_work = [0]  # calls of the learner's, one within another
after: list = []  # what a guard does as soon as code of the learner's has ended


class Calls:
    """The calls of one case: what was asked, what kind of thing came back, plain answers."""

    def __init__(self):
        self.asked: list = []
        self.gave: list = []
        self.answers: list = []
        self.count = 0

    def begin(self, name, arguments, named):
        """The number of the call that begins."""
        self.count += 1
        if self.count <= MOST:
            self.asked.append(_call(name, arguments, named))
            self.gave.append("")
            self.answers.append(plain.NotPlain)
        return self.count - 1

    def came_back(self, number, value):
        if number < MOST:
            self.gave[number] = forms.described(value)
            self.answers[number] = _simple(value)

    def told(self, value=None, error=None):
        """For the outcome: {"calls", "gave"}, with "failed" or with the "places" of answers."""
        if not 0 < self.count <= MOST:
            return {}
        found = {"calls": self.asked, "gave": self.gave}
        if error is not None:
            return {"asked": found | {"failed": _failed(error)}}
        return {"asked": found | {"places": _places(value, self.answers)}}


class Answer:
    """Stands for the learner's function or class, and notes each call of it or of its methods.

    It hands on copies of the lists and dicts that the case gives, unless these are `shared`: what
    the case reads later, to judge, nobody else has had.
    """

    __slots__ = ("_real", "_name", "_calls", "_shared")

    def __init__(self, real, name, calls, shared=False):
        self._real, self._name, self._calls, self._shared = real, name, calls, shared

    def __getattr__(self, name):
        found = getattr(self._real, name)
        if not callable(found):
            return found
        return Answer(found, f"{self._name}.{name}", self._calls, self._shared)

    def __call__(self, /, *arguments, **named):
        if isinstance(self._real, type):
            return self._witnessed(arguments, named)
        number = self._calls.begin(self._name, arguments, named)
        value = self._witnessed(arguments, named)
        self._calls.came_back(number, value)
        return value

    def _witnessed(self, arguments, named):
        """What it gives: also of a class, which may stand where others write a function."""
        witness.called()
        try:
            value = self._called(arguments, named)
        except Exception as error:
            witness.raised(error, arguments)
            raise
        if not isinstance(self._real, type):  # whose instance is a learner's
            value = bool(value) if type(value) is np.bool_ else plain.ordinary(value)  # as good
        witness.answered(value, arguments)
        return value

    def _called(self, arguments, named):
        if not self._shared:
            arguments, named = copied((arguments, named), {})
        before, others = settled.Settings(), switches.Switches()
        more = AS_DEEP - depth() if after else 0  # only where a guard is
        _at_work[0] += 1
        try:
            return deeper(more, self._real, arguments, named)
        finally:
            _at_work[0] -= 1  # first: a thread of theirs runs on
            others.put_back()
            before.put_back()
            ended()


def depth():
    """How many frames there are."""
    frame, count = sys._getframe(1), 0
    while frame is not None:
        frame, count = _back_of(frame), count + 1
    return count


def deeper(more, function, arguments, named):
    """What the function gives, called so many frames below: how deep it runs, tells no case."""
    if more <= 0:
        return function(*arguments, **named)
    return deeper(more - 1, function, arguments, named)


def is_at_work():
    """Whether the learner's answer has been called, and has not come to its end."""
    return _at_work[0] > 0


def is_between():
    """Whether a case is at work and no call of the learner's: no code of theirs is to run now."""
    return collector.is_at_rest() and not is_at_work()


def ended():
    """Code of the learner's has: a guard looks what it has left."""
    for look in after:
        look()


def copied(value, made, depth=0):
    """The same things in other lists and dicts; one that stands there twice has one copy.

    `made` are the copies by the identity of what they are of.
    """
    kind = type(value)
    if not plain.is_one(kind, (list, tuple, dict)) or depth > plain.MOST_DEPTH:
        return value
    if identity(value) in made:
        return made[identity(value)]
    if kind is tuple:
        inner = [copied(one, made, depth + 1) for one in value]
        same = all(new is old for new, old in zip(inner, value, strict=True))
        return value if same else tuple(inner)
    own = made[identity(value)] = kind()
    if kind is list:
        own.extend(copied(one, made, depth + 1) for one in value)
    else:
        own.update((key, copied(one, made, depth + 1)) for key, one in value.items())
    return own


def in_call(error):
    """Whether it came out of the call itself, or of looking for the method to call."""
    codes = Answer.__call__.__code__, Answer.__getattr__.__code__
    return any(step.tb_frame.f_code in codes for step in entries_of(error))


def _failed(error):
    """The number of the call that the error came out of, or None."""
    found = None
    for step in entries_of(error):
        if step.tb_frame.f_code is Answer.__call__.__code__:
            found = variables_of(step.tb_frame).get("number", found)
    return found


# --- where in a case's value the answers of the calls stand --------------------------------


def _places(value, answers):
    """[key, [number of the call for each entry]] if entries of the value are those answers.

    key: None for the value itself, else that of the list in a dict. An answer that is a list may
    have been joined to the others. None where the value is something else.
    """
    if any(answer is plain.NotPlain for answer in answers):
        return None
    inner = value.items() if isinstance(value, dict) else ()
    for key, one in [*inner, (None, value)]:
        owners = _owners(one, answers)
        if owners:
            return [key, owners]
    return None


def _owners(entries, answers):
    """[[key of an entry, number of the call], ...], or None."""
    keys = list(entries) if isinstance(entries, dict) else None
    found = _simple(list(entries.values()) if keys else entries)
    if type(found) is not list:
        return None
    if found == answers:
        numbers = list(range(len(answers)))
    elif all(type(answer) is list for answer in answers) and found == sum(answers, []):
        numbers = [i for i, answer in enumerate(answers) for _ in answer]
    else:
        return None
    return [list(pair) for pair in zip(keys or range(len(numbers)), numbers, strict=True)]


def _simple(value, depth=0):
    """A copy of numbers and texts in lists; NotPlain in place of anything else."""
    if plain.is_one(type(value), SIMPLE):
        return value
    if not plain.is_one(type(value), (list, tuple)) or depth > 3 or len(value) > 500:
        return plain.NotPlain
    found = [_simple(one, depth + 1) for one in value]
    return plain.NotPlain if any(one is plain.NotPlain for one in found) else found


# --- a call as text ------------------------------------------------------------------------


def _call(name, arguments, named):
    parts = [shown(argument) for argument in itertools.islice(arguments, 20)]
    parts += [f"{key}={shown(argument)}" for key, argument in named.items()]
    text = f"{name}({', '.join(parts)})"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]}...)"


def shown(value):
    """`['tanh', 'exp']`, `<3 x 4 tensor>`, `<function>`; nothing of a learner's is asked."""
    shape = forms.shape_of(value)
    if shape is not None:
        return f"<{forms.by(shape) or 'one'} {forms.kind_of(value)}>"
    if plain.is_one(type(value), (list, tuple)):
        inner = ", ".join(shown(one) for one in value[:40])
        return f"[{inner}]" if type(value) is list else f"({inner})"
    if plain.is_one(type(value), SIMPLE):
        return repr(value)
    if isinstance(value, FunctionType | type):
        return f"<{value.__name__.replace('<lambda>', 'function')}>"
    return f"<{plain.name_of(type(value))}>"


# --- what another process sent ---------------------------------------------------------------


def is_asked(found):
    """Whether it can be what `told` gives."""
    if not isinstance(found, dict) or not set(found) <= {"calls", "gave", "failed", "places"}:
        return False
    texts = [*_list(found.get("calls", [])), *_list(found.get("gave", []))]
    short = len(texts) <= 2 * MOST and all(
        isinstance(t, str) and len(t) <= 2 * LONGEST for t in texts
    )
    return (
        short and isinstance(found.get("failed"), int | None) and _are_places(found.get("places"))
    )


def _are_places(places):
    if places is None:
        return True
    key, owners = places if isinstance(places, list) and len(places) == 2 else (0, 0)
    return isinstance(key, str | None) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], int)
        for pair in _list(owners)
    )


def _list(value):
    return value if isinstance(value, list) else [value]
