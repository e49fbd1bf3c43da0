"""`progress()` counts what was recorded against what the lessons hold, and says where to go on.

Lessons are read from the learner's own copies. Under the build and in CI nothing is recorded, so
the table there is always the same.
"""

import html
import json
import re
from dataclasses import dataclass, field

from course.build.names import predictions
from whoholds.unattended import revealing

from . import record, static

TITLE = re.compile(r"#\s*(\d\d)\s+(.+)")
HEADS = "predicted", "right at once", "skipped", "exercises"
OUTSIDE = "This copy of the notebook records nothing: `python3 run.py lab` opens the one that does."
NONE = "Nothing is recorded yet."
TABLE = "border-collapse: collapse; margin: 6px 0; font-size: var(--jp-content-font-size1, 14px);"
CELL = (
    "padding: 3px 16px 3px 0; font-variant-numeric: tabular-nums; "
    "border-bottom: 1px solid var(--jp-border-color2, #bdbdbd);"
)


@dataclass
class Lesson:
    """What one lesson asks: prediction ids, form by id for the inventory, exercise ids."""

    number: str
    title: str
    file: str
    asks: list = field(default_factory=list)
    forms: dict = field(default_factory=dict)
    exercises: list = field(default_factory=list)


def progress():
    """How far you are: lesson by lesson what you predicted and solved, and what comes next."""
    my = record.folder()
    if my is None:
        return Progress([], record.EMPTY, NONE if revealing() else OUTSIDE)
    try:
        found, note = record.load(my), ""
    except record.Unreadable as error:
        found, note = record.EMPTY, f"{error}."
    return Progress(lessons(my), found, note)


class Progress:
    """What `progress` returns: a table for the page, the same as text."""

    def __init__(self, lessons, found, note):
        self.lessons, self.note = lessons, note
        self._predictions, self._exercises = found["predictions"], found["exercises"]

    def rows(self):
        """(lesson, its four cells) of each lesson."""
        for lesson in self.lessons:
            seen = [self._outcome(id) for id in lesson.asks]
            made = len(seen) - seen.count(None) - seen.count("skipped")
            solved = sum(self._exercises.get(id) is True for id in lesson.exercises)
            asked, tasks = len(lesson.asks), len(lesson.exercises)
            counts = [str(seen.count(kind)) if any(seen) else "-" for kind in ("right", "skipped")]
            cells = f"{made} of {asked}", *counts
            yield lesson, (*cells, f"{solved} of {tasks}" if tasks else "-")

    def scores(self):
        """One sentence for each form of the inventory, and the gain once two are complete."""
        asked: dict = {}
        for lesson in self.lessons:
            for id, form in lesson.forms.items():
                asked.setdefault((form, lesson.number), []).append(self._outcome(id))
        for (form, lesson), seen in sorted(asked.items()):
            answered = len(seen) - seen.count(None)
            missing = f", {len(seen) - answered} still open" if answered < len(seen) else ""
            right = f"{seen.count('right')} of {len(seen)} right"
            yield f"Form {form} (the questions of lesson {lesson}): {right}{missing}."
        complete = [seen for _, seen in sorted(asked.items()) if None not in seen]
        if len(complete) == 2:
            before, after = (seen.count("right") for seen in complete)
            yield f"What you gained: {after - before:+d}."

    def next(self):
        """The first lesson with open predictions, seen from the furthest one begun."""
        unfinished = [i for i, one in enumerate(self.lessons) if self._open(one)]
        begun = [i for i, one in enumerate(self.lessons) if any(map(self._outcome, one.asks))]
        ahead = [i for i in unfinished if i >= max(begun, default=0)]
        return self.lessons[(ahead or unfinished)[0]] if unfinished else None

    def _open(self, lesson):
        return any(self._outcome(id) is None for id in lesson.asks)

    def _outcome(self, id):
        return self._predictions.get(id, {}).get("outcome")

    def _closing(self):
        lines = list(self.scores())
        if self.lessons:
            then = self.next()
            lines += [f"Next: lesson {then.number}, {then.title}." if then else "All done."]
        return lines + ([self.note] if self.note else [])

    def __repr__(self):
        cells = [("lesson", *HEADS)] if self.lessons else []
        cells += [(f"{one.number}  {one.title}", *row) for one, row in self.rows()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        table = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        return "\n".join(["Your progress", *table, *self._closing()])

    def _repr_html_(self):
        rows = "".join(
            table_row("td", f'<a href="{html.escape(one.file)}">{one.number}</a>&ensp;'
                 f"{static.inline(one.title)}", row)
            for one, row in self.rows()
        )  # fmt: skip
        head = table_row("th", "lesson", HEADS) if rows else ""
        table = f'<table style="{TABLE}">{head}{rows}</table>' if rows else ""
        closing = "".join(static.paragraph(static.inline(line)) for line in self._closing())
        label = f'<p style="{static.LABEL}">Your progress</p>'
        return f'<div style="{static.BOX}">{label}{table}{closing}</div>'


def table_row(tag, first, rest):
    hanging = "text-align: left; padding-left: 2em; text-indent: -2em;"
    first = f'<{tag} style="{CELL} {hanging}">{first}</{tag}>'
    rest = "".join(
        f'<{tag} style="{CELL} text-align: right; white-space: nowrap;">{text}</{tag}>'
        for text in rest
    )
    return f"<tr>{first}{rest}</tr>"


def lessons(my):
    """The lessons among the learner's copies; one that cannot be read is left out."""
    found = []
    for path in sorted((my / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        try:
            found.append(_lesson(path, _cells(path)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def _cells(path):
    return json.loads(path.read_text("utf-8"))["cells"]


def _lesson(path, cells):
    sources = [("".join(cell["source"]), cell["cell_type"] == "code") for cell in cells]
    title = next(filter(None, (TITLE.match(text) for text, code in sources if not code)), None)
    lesson = Lesson(path.name[:2], title[2].strip() if title else path.stem, path.name)
    for text, code in sources:
        for id, call in predictions(text).items() if code and "predict" in text else ():
            form = _form(call)
            if form:
                lesson.forms[id] = form
            else:
                lesson.asks.append(id)
    lesson.exercises = _exercises(path.parent.parent / "exercises" / path.name)
    return lesson


def _form(call):
    values = (word.value for word in call.keywords if word.arg == "form")
    return next((value.value for value in values if hasattr(value, "value")), "")


def _exercises(path):
    """The ids of a lesson's exercises, as the build marks their cells."""
    if not path.exists():
        return []
    marks = (cell["metadata"].get("minigrad", {}).get("exercise") for cell in _cells(path))
    return list(dict.fromkeys(filter(None, marks)))
