"""A card is a question and a sealed answer: `asked` shows the one, `judged` opens the other.

Plain text and numbers only: neither the run nor a tensor outlives the making of a card, so a card
never keeps alive what its lesson counts. Refuses to know kernels, files and widgets; `live` and
`record` do.
"""

from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase

from whoholds.unattended import revealing

from . import live, static
from .numbers import compared, hint, read, said
from .pictures import figure, in_words, picture


class PredictionError(ValueError):
    """A card that cannot be shown as it is written."""


class Card:
    """What all cards share: text and page for everyone, a live card where a kernel answers."""

    question: str

    @cached_property
    def _live(self):
        return live.card(self)

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if self._live is not None:
            bundle |= live.reference(self._live)
        return bundle

    def __repr__(self):
        rows = [f"Predict: {self.question}", *self._asked_rows()]
        return "\n".join(rows + (self._answer_rows() if revealing() else []))

    def _repr_html_(self):
        raise NotImplementedError

    def _asked_rows(self):
        raise NotImplementedError

    def _answer_rows(self):
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Prediction(Card):
    """A question with lettered options, and the computed answer, sealed."""

    id: str
    question: str
    options: dict
    answer: str
    curves: dict = field(default_factory=dict)
    shown: list = field(default_factory=list)
    form: str = ""

    def asked(self):
        """What a live card may know before the choice is locked."""
        top = max((n for points in self.curves.values() for _, n in points), default=0)
        rows = [
            {
                "letter": letter,
                "text": static.inline(option),
                "picture": picture(self.curves[option], top) if option in self.curves else "",
            }
            for letter, option in self._lettered(self.options)
        ]
        asked = {"question": static.inline(self.question), "form": self.form, "options": rows}
        asked["hint"] = f"Keys A to {rows[-1]['letter']} choose, Enter locks."
        return asked | ({"figure": figure(self.shown)} if self.shown else {})

    def judged(self, given):
        """The verdict on option number `given`; None skips. A ValueError says what is no choice."""
        if given is not None and given not in range(len(self.options)):
            raise ValueError("That is none of the options.")
        right = list(self.options).index(self.answer)
        chosen = None if given is None else list(self.options)[given]
        first = [right] if given in (None, right) else [given, right]
        reasons = [self._reason(i, right, given) for i in range(len(self.options))]
        return {
            "outcome": outcome(given, given == right),
            "choice": chosen,
            "chosen": given,
            "right": right,
            "headline": self._headline(given, right),
            "reasons": [reasons[i] for i in first],
            "others": [row for i, row in enumerate(reasons) if i not in first],
        }

    def given(self, choice):
        """What `judged` takes for the text of an option; a ValueError where it is none."""
        return list(self.options).index(choice)

    def _headline(self, given, right):
        answer = f"<strong>{self._letter}. {static.inline(self.answer)}</strong>"
        if given is None:
            return f"The run says {answer}."
        return f"Right: {answer}." if given == right else f"The run says otherwise: {answer}."

    def _reason(self, index, right, given):
        option = list(self.options)[index]
        kind = "right" if index == right else "chosen" if index == given else "other"
        title = f"{ascii_uppercase[index]}. {static.inline(option)}"
        return {"kind": kind, "title": title, "text": static.inline(self.options[option])}

    def _asked_rows(self):
        if self.shown:
            yield f"  shown: {in_words(self.shown)}"
        for letter, option in self._lettered(self.options):
            shape = f": {in_words(self.curves[option])}" if option in self.curves else ""
            yield f"  {letter}. {option}{shape}"

    def _answer_rows(self):
        rows = [f"Answer: {self._letter}. {self.answer}"]
        return rows + [
            f"  {letter}: {why}" for letter, why in self._lettered(self.options.values())
        ]

    def _repr_html_(self):
        asked = self.asked()
        rows = asked.get("figure", "") + static.rows(
            (row["letter"] + ".", row["text"] + _below(row["picture"])) for row in asked["options"]
        )
        whys = static.rows(
            (f"{letter}.", static.inline(why))
            for letter, why in self._lettered(self.options.values())
        )
        answer = f"<strong>{self._letter}.</strong> {static.inline(self.answer)}"
        return static.page(self.question, rows, answer, whys)

    def _lettered(self, texts):
        return zip(ascii_uppercase, texts, strict=False)

    @property
    def _letter(self):
        return ascii_uppercase[list(self.options).index(self.answer)]


@dataclass(frozen=True, repr=False)
class NumberPrediction(Card):
    """A question for a number: the nearer the guess, the better the picture behind it."""

    id: str
    question: str
    unit: str
    answer: float
    wrong: dict
    why: str
    form: str = ""

    def asked(self):
        asked = {"question": static.inline(self.question), "form": self.form, "unit": self.unit}
        return asked | {"hint": hint(self.unit)}

    def judged(self, given):
        """The verdict on the text of a number; None skips. A ValueError says what is no number."""
        guess = None if given is None else read(given, self.unit)
        right = {"kind": "right", "title": said(self.answer, self.unit)}
        reasons = [right | {"text": static.inline(self.why)}]
        rows = {number: self._reason(number, guess) for number in self.wrong}
        if guess in rows:
            reasons.insert(0, rows.pop(guess))
        return {
            "outcome": outcome(given, guess == self.answer),
            "choice": guess,
            "headline": static.inline(compared(guess, self.answer, self.unit)),
            "bars": _bars(guess, self.answer, self.unit),
            "reasons": reasons,
            "others": list(rows.values()),
        }

    def given(self, choice):
        """What `judged` takes for a number on record."""
        return str(choice)

    def _reason(self, number, guess):
        kind = "chosen" if number == guess else "other"
        text = static.inline(self.wrong[number])
        return {"kind": kind, "title": said(number, self.unit), "text": text}

    def _asked_rows(self):
        return [f"  (a number of {self.unit})"]

    def _answer_rows(self):
        rows = [f"Answer: {said(self.answer, self.unit)}", f"  {self.why}"]
        return rows + [f"  {number:,}: {why}" for number, why in self.wrong.items()]

    def _repr_html_(self):
        ask = static.paragraph(f"Your number of {static.inline(self.unit)}: note it down.")
        whys = static.rows((f"{n:,}:", static.inline(why)) for n, why in self.wrong.items())
        answer = f"<strong>{said(self.answer, self.unit)}.</strong> {static.inline(self.why)}"
        return static.page(self.question, ask, answer, whys)


def outcome(given, right):
    return "skipped" if given is None else "right" if right else "wrong"


def _below(picture):
    return f"<br>{picture}" if picture else ""


def _bars(guess, answer, unit):
    """Guess and measurement as shares of the larger; none where there is nothing to compare."""
    if guess is None or guess == answer or min(guess, answer) < 0:
        return []
    top = max(guess, answer)
    pairs = ("you said", guess), ("measured", answer)
    return [{"name": name, "value": said(n, unit), "part": n / top} for name, n in pairs]
