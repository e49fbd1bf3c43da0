"""The gain is what the concept inventory says after the course, against what it said before.

Ten concepts, each with a card in form A (lesson 00) and one in form B (lesson 16). Only concepts
for which a choice was locked in both count: who skips shows nothing, neither before nor after.
Reads the learner's record; refuses to know the questions.
"""

from dataclasses import dataclass

from course.predict import record, static
from course.predict.table import NONE, OUTSIDE, TABLE, table_row
from whoholds.unattended import revealing

CONCEPTS = (  # and the lesson that teaches it, in the order of the cards
    ("what copies, what only views", "01"),
    ("a tensor and its node are two things", "02"),
    ("what stands at the ends of a graph", "02"),
    ("gradients add up", "03"),
    ("what an operation keeps", "03"),
    ("a name is one holder among others", "04"),
    ("what it means to be freed", "04"),
    ("how long a retained graph lives", "05"),
    ("who survives a second backward", "05"),
    ("a backward that fails is half done", "05"),
)
FORMS = {"A": "00.a{}", "B": "16.b{}"}
HEADS = "before (A)", "after (B)"
LOCKED = {"right", "wrong"}


def gain():
    """Concept by concept: your first choice in form A, in form B, and what lies between."""
    my = record.folder()
    if my is None:
        return Gain({}, NONE if revealing() else OUTSIDE)
    try:
        return Gain(record.load(my)["predictions"])
    except record.Unreadable as error:
        return Gain({}, f"{error}.")


@dataclass(frozen=True)
class Counted:
    """`both`: concepts with a choice in both forms; of these, right before and right after."""

    both: int
    before: int
    after: int

    @property
    def normalised(self):
        """The part of what was missing that is there now; None where nothing was missing."""
        missing = self.both - self.before
        return (self.after - self.before) / missing if missing else None


class Gain:
    """What `gain` returns: a table for the page, the same as text."""

    def __init__(self, predictions, note=""):
        self.note = note
        self.rows = [
            (concept, lesson, *(_outcome(predictions, id.format(n)) for id in FORMS.values()))
            for n, (concept, lesson) in enumerate(CONCEPTS, 1)
        ]

    def counted(self):
        pairs = [row[2:] for row in self.rows if LOCKED.issuperset(row[2:])]
        before, after = (sum(pair[form] == "right" for pair in pairs) for form in (0, 1))
        return Counted(len(pairs), before, after)

    def sentences(self):
        if self.note:
            return [self.note]
        locked = [sum(row[k] in LOCKED for row in self.rows) for k in (2, 3)]
        if not locked[1]:
            return ["Form B is still open: lock its ten cards, then run this cell again."]
        said = self._compared() if self.counted().both else [_alone(locked[0], self.rows)]
        return said + self._again()

    def _compared(self):
        seen, total = self.counted(), len(CONCEPTS)
        which = "All ten concepts" if seen.both == total else f"{seen.both} of {total} concepts"
        yes = f"{which} answered in both forms: **{seen.before}** right before, "
        yes += f"**{seen.after}** right after."
        if seen.normalised is None:
            return [yes, "Nothing was missing before, so there is no gain to count."]
        missing = seen.both - seen.before
        part = f"{seen.after - seen.before:+d} of the {missing} that you lacked"
        return [yes, f"Normalised gain: **{seen.normalised:.0%}** ({part})."]

    def _again(self):
        """Lessons worth another look: those whose concepts form B got wrong."""
        wrong: dict = {}
        for concept, lesson, _, after in self.rows:
            if after == "wrong":
                wrong.setdefault(lesson, []).append(concept)
        named = "; ".join(f"lesson {lesson} ({', '.join(what)})" for lesson, what in wrong.items())
        return [f"Worth another look: {named}."] if wrong else []

    def _table(self):
        rows = [] if self.note else self.rows
        return [(name, before or "-", after or "-") for name, _, before, after in rows]

    def __repr__(self):
        lines = [f"{name:38}{before:12}{after}" for name, before, after in self._table()]
        head = [f"{'concept':38}{HEADS[0]:12}{HEADS[1]}"] if lines else []
        plain = [sentence.replace("**", "") for sentence in self.sentences()]
        return "\n".join(["What you gained", *head, *lines, *plain])

    def _repr_html_(self):
        rows = "".join(table_row("td", name, seen) for name, *seen in self._table())
        head = table_row("th", "concept", HEADS) if rows else ""
        table = f'<table style="{TABLE}">{head}{rows}</table>' if rows else ""
        closing = "".join(static.paragraph(static.inline(line)) for line in self.sentences())
        label = f'<p style="{static.LABEL}">What you gained</p>'
        return f'<div style="{static.BOX}">{label}{table}{closing}</div>'


def _outcome(predictions, id):
    return predictions.get(id, {}).get("outcome", "")


def _alone(before, rows):
    """Where no concept was answered twice, form B still says something."""
    after = [row[3] for row in rows if row[3] in LOCKED]
    why = "No concept was answered in both forms" if before else "You skipped form A"
    right = f"{after.count('right')} of {len(after)} right"
    return f"{why}, so there is nothing to compare with. Form B: {right}."
