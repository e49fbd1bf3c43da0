"""The exam's score: first choices that were right, of all cards, part by part.

Reads the learner's record; refuses to know the questions.
"""

from course.predict import record, static
from course.predict.table import NONE, OUTSIDE, TABLE, table_row
from whoholds.unattended import revealing

PARTS = {"curves": ("16.c", 8), "snippets": ("16.s", 5), "ideas": ("16.b", 10)}  # ids, how many
HEADS = "right at once", "cards", "open"


def score():
    """Part by part: how many cards were right at the first choice, and how many are open."""
    my = record.folder()
    if my is None:
        return Score({}, NONE if revealing() else OUTSIDE)
    try:
        return Score(record.load(my)["predictions"])
    except record.Unreadable as error:
        return Score({}, f"{error}.")


def ids(part):
    """The ids of a part's cards, in order."""
    prefix, count = PARTS[part]
    return [f"{prefix}{n}" for n in range(1, count + 1)]


class Score:
    """What `score` returns: a table for the page, the same as text."""

    def __init__(self, predictions, note=""):
        self.note = note
        self.rows = [] if note else [_row(part, predictions) for part in PARTS]

    def sentences(self):
        if self.note:
            return [self.note]
        right, cards, waiting = (sum(row[k] for row in self.rows) for k in (1, 2, 3))
        rest = f" {waiting} {'is' if waiting == 1 else 'are'} still open." if waiting else ""
        return [f"Your score: **{right}** of {cards}.{rest}"]

    def __repr__(self):
        head = [f"{'part':12}" + "".join(f"{name:>15}" for name in HEADS)] if self.rows else []
        lines = [f"{part:12}" + "".join(f"{n:15}" for n in found) for part, *found in self.rows]
        return "\n".join([*head, *lines, *(line.replace("**", "") for line in self.sentences())])

    def _repr_html_(self):
        rows = "".join(table_row("td", part, map(str, found)) for part, *found in self.rows)
        head = table_row("th", "part", HEADS) if rows else ""
        table = f'<table style="{TABLE}">{head}{rows}</table>' if rows else ""
        closing = "".join(static.paragraph(static.inline(line)) for line in self.sentences())
        label = f'<p style="{static.LABEL}">Your score</p>'
        return f'<div style="{static.BOX}">{label}{table}{closing}</div>'


def _row(part, predictions):
    """(part, right, cards, open); a skipped card is neither right nor open."""
    found = [predictions.get(id, {}).get("outcome") for id in ids(part)]
    return part, found.count("right"), len(found), found.count(None)
