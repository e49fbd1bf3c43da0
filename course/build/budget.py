"""A lesson fits into a sitting: sections, minutes, and more words than code.

The estimate is a formula, not a measurement: words / 200 for reading, half a minute for each code
cell, one more for each prediction. That is the lesson read and run, and it has a limit. Who also
does the small experiments, each a "Try it.", needs three minutes for each: learners took 60 to 75
minutes where reading alone is 44. What exercise cards state is another sitting's.

No wall stands in the way: a set-up cell is short, and so is each paragraph.
"""

import ast
import re
from dataclasses import dataclass, replace

from .names import only_predictions, predictions

MAX_SECTIONS, MAX_MINUTES, MAX_LINES, MIN_WORDS = 6, 45, 12, 5
MAX_SETUP, MAX_PARAGRAPH = 15, 120  # lines as they are seen, blank ones too; words
WORDS_PER_MINUTE, PER_CELL, PER_PREDICTION, PER_TRY = 200, 0.5, 1.0, 3.0
TRY = re.compile(r"\*\*Try it\b")
APART = re.compile(r"#+ |\|")  # a heading, a table's row: no part of a paragraph


@dataclass(frozen=True)
class Size:
    """What `check` prints about a lesson."""

    sections: int
    words: int
    cells: int
    lines: int
    predicted: int
    exercises: int
    tries: int
    reading: float  # minutes with the notebook
    working: int  # minutes with the exercises

    @property
    def minutes(self):
        """The lesson read and run."""
        return round(self.reading)

    @property
    def sitting(self):
        """The same with its small experiments: what a learner is told."""
        return round(self.reading + PER_TRY * self.tries)


def size(lesson):
    """Count a lesson."""
    cards = [call for cell in lesson.demos for call in predictions(cell.source).values()]
    prose = [cell.source for cell in lesson.shown if cell.kind == "markdown"]
    words = _words(" ".join(prose + [text for card in cards for text in _texts(card)]))
    stated = [cell.keys["minutes"] for cell in lesson.cells if "minutes" in cell.keys]
    return Size(
        sections=max(cell.section for cell in lesson.cells),
        words=words,
        cells=len(lesson.demos),
        lines=sum(code_lines(cell) for cell in lesson.demos),
        predicted=len(cards),
        exercises=len(stated),
        tries=sum(len(TRY.findall(text)) for text in prose),
        reading=words / WORDS_PER_MINUTE
        + PER_CELL * len(lesson.demos)
        + PER_PREDICTION * len(cards),
        working=sum(stated),
    )


def until(lesson, section):
    """The lesson as far as the end of this section."""
    return replace(lesson, cells=[cell for cell in lesson.cells if cell.section <= section])


def code_lines(cell):
    """Lines but blanks, comments, cell magics; a prediction card is one line and many words."""
    rows = (row.strip() for row in cell.source.splitlines())
    cards = predictions(cell.source).values()
    written = sum(bool(row) and not row.startswith(("#", "%%")) for row in rows)
    return written - sum(card.end_lineno - card.lineno for card in cards)


def _words(text):
    return len(re.findall(r"[\w'’]+", text))


def _texts(card):
    """The question, the options and their explanations, as far as they are written out."""
    parts = card.args[1:] + [word.value for word in card.keywords if word.arg != "run"]
    return [
        node.value
        for part in parts
        for node in ast.walk(part)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def walls(lesson):
    """A set-up cell or a paragraph that is too long, one sentence each."""
    setup = len(lesson.setup.source.splitlines())
    if setup > MAX_SETUP:
        yield (
            f"{lesson.file}:{lesson.setup.line}: the set-up cell has {setup} lines; at most "
            f"{MAX_SETUP}: a helper belongs to the section that uses it, or into course/"
        )
    for line, text in (pair for cell in lesson.cells for pair in _told(cell)):
        if _words(text) > MAX_PARAGRAPH:
            yield (
                f"{lesson.file}:{line}: a paragraph of {_words(text)} words; at most "
                f"{MAX_PARAGRAPH}: put a blank line where a thought ends"
            )


def _told(cell):
    """(line, text) of each paragraph; what a card says is one for each of its texts."""
    if cell.kind == "markdown":
        yield from ((cell.first + row, text) for row, text in paragraphs(cell.source))
        return
    for card in predictions(cell.source).values():
        yield from ((cell.first + card.lineno - 1, text) for text in _texts(card))


def paragraphs(text):
    """(row, text) of all that stands between blank lines, a list among it; no fence, no table."""
    found: list = []
    fenced = inside = False
    for row, line in enumerate(text.splitlines()):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        if fence or fenced or not line.strip() or APART.match(line):
            inside = False
        elif inside:
            found[-1][1] += "\n" + line
        else:
            inside = True
            found.append([row, line])
    return [(row, text) for row, text in found]


def problems(lesson):
    """Budgets that a lesson breaks; a page is no sitting, so it has none but for its walls."""
    yield from walls(lesson)
    if lesson.is_page:
        return
    counted = size(lesson)
    if counted.sections > MAX_SECTIONS:
        yield f"{lesson.file}: {counted.sections} sections; at most {MAX_SECTIONS}"
    if counted.minutes > MAX_MINUTES:
        yield (
            f"{lesson.file}: about {counted.minutes} minutes ({counted.words} words / "
            f"{WORDS_PER_MINUTE}, {counted.cells} cells x {PER_CELL}, {counted.predicted} "
            f"predictions); at most {MAX_MINUTES}"
        )


def warnings(lesson):
    """Habits a lesson departs from; printed, never a failure."""
    for cell in lesson.demos:
        if code_lines(cell) > MAX_LINES:
            yield f"{lesson.file}:{cell.line}: {code_lines(cell)} lines of code; aim at {MAX_LINES}"
        if predictions(cell.source) and not only_predictions(cell.source):
            yield (
                f"{lesson.file}:{cell.line}: a prediction shares its cell with other code, so its "
                "answers stand open above the card; give it a cell of its own"
            )
    counted = size(lesson)
    if not lesson.is_page and counted.lines and counted.words < MIN_WORDS * counted.lines:
        ratio = counted.words / counted.lines
        yield f"{lesson.file}: {ratio:.1f} words per line of code; aim at {MIN_WORDS} or more"
