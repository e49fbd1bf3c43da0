"""What `check` shows: a table of cases, the learner's line, and one hint for the first failure.

The text says all that the page says. Knows verdicts, and nothing of how they came about.
"""

import html

from course.predict import static

HEADS = "case", "expected", "got", "points"
GOOD, BAD = "#2e7d32", "#c62828"
LATER = (
    "1 more case failed: its hint comes once this one is right.",
    "{} more cases failed: their hints come once this one is right.",
)
WIDTHS = "1.6em", "26%", "auto", "auto", "4em"  # of the mark and the columns
TABLE = "border-collapse: collapse; margin: 6px 0; width: 100%; table-layout: fixed;"
CELL = (
    "text-align: left; vertical-align: top; padding: 3px 14px 3px 0; font-weight: {}; "
    "border-bottom: 1px solid var(--jp-border-color2, #bdbdbd); overflow-wrap: anywhere;"
)


class Feedback:
    """The result of one check: points, a table, a hint, closing lines, a link (words, path)."""

    def __init__(self, exercise, verdicts, closing=(), link=None):
        self.exercise, self.verdicts = exercise, verdicts
        self.closing, self.link = list(closing), link
        self.points = sum(verdict.points for verdict in verdicts)
        self.of = sum(verdict.of for verdict in verdicts)

    @property
    def passed(self):
        return self.points == self.of

    @property
    def missing(self):
        """Nothing is written yet."""
        return all(verdict.missing for verdict in self.verdicts)

    @property
    def title(self):
        if self.missing:
            return f"{self.exercise}: not written yet"
        passed = sum(verdict.passed for verdict in self.verdicts)
        cases = "every case passed" if self.passed else f"{passed} of {len(self.verdicts)} cases"
        return f"{self.exercise}: {cases}, {self.points} of {self.of} points"

    @property
    def failed(self):
        """The verdict that failed first, or None; one that waits for another is no failure."""
        return next((v for v in self.verdicts if not (v.passed or v.waits)), None)

    @property
    def help(self):
        """(what failed first, [the call, the learner's line, what was alive], hint), or None."""
        first = self.failed
        if first is None or self.missing:
            return None
        places = first.call, first.line, first.alive
        return first.case, [text for text in places if text], first.hint

    @property
    def later(self):
        """A sentence about the other cases that failed, of which no hint is shown; or ""."""
        others = sum(not (v.passed or v.waits) for v in self.verdicts) - 1
        return LATER[others > 1].format(others) if others > 0 and self.help else ""

    def rows(self):
        """(mark, case, expected, got, points) of each case."""
        return [(_mark(v), v.case, v.expected, v.got, f"{v.points}/{v.of}") for v in self.verdicts]

    def __repr__(self):
        lines = [self.title]
        if not self.missing:
            rows = [("", *HEADS), *self.rows()]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            padded = [zip(row, widths, strict=True) for row in rows]
            lines += ["  ".join(t.ljust(w) for t, w in row).rstrip() for row in padded]
        if self.help:
            case, places, hint = self.help
            lines += [case, *(f"  {place}" for place in places), f"Hint: {hint}"]
            lines += [self.later] if self.later else []
        lines += self.closing
        return "\n".join(lines + ([" ".join(self.link)] if self.link else []))

    def _repr_html_(self):
        colour = GOOD if self.passed else static.ACCENT if self.missing else BAD
        box = static.BOX.replace(f"4px solid {static.ACCENT}", f"4px solid {colour}")
        title = f'<p style="{static.LABEL}">{html.escape(self.title)}</p>'
        closing = "".join(static.paragraph(static.inline(line)) for line in self.closing)
        closing += static.paragraph(_anchor(*self.link)) if self.link else ""
        return f'<div style="{box}">{title}{self._table()}{self._help()}{closing}</div>'

    def _table(self):
        if self.missing:
            return ""
        head = _row("th", ("", *HEADS))
        return f'<table style="{TABLE}">{head}{"".join(_row("td", r) for r in self.rows())}</table>'

    def _help(self):
        if not self.help:
            return ""
        case, places, hint = self.help
        where = "".join(f"<br><code>{html.escape(place)}</code>" for place in places)
        text = f"<strong>{html.escape(case)}</strong>{where}<br>{static.inline(hint)}"
        text += f"<br><em>{self.later}</em>" if self.later else ""
        return f'<p style="{static.RIGHT.replace(static.ACCENT, BAD)}">{text}</p>'


def _mark(verdict):
    """Right, wrong, or right and of no weight yet: that is no second mistake."""
    return "ok" if verdict.passed else "wait" if verdict.waits else "no"


def _anchor(words, path):
    path = html.escape(path)
    return f'{static.inline(words)} <a href="{path}">{path.removeprefix("../../")}</a>'


def _row(tag, cells):
    widths = [f" width: {width};" if tag == "th" else "" for width in WIDTHS]
    style = CELL.format("600" if tag == "th" else "400")
    marks = {"ok": f'<span style="color: {GOOD}">&#10003;</span>',
             "no": f'<span style="color: {BAD}">&#10007;</span>',
             "wait": "&#8943;"}  # fmt: skip
    inner = [marks.get(cells[0], ""), *map(html.escape, cells[1:])]
    pairs = zip(inner, widths, strict=True)
    cells = (f'<{tag} style="{style}{width}">{cell}</{tag}>' for cell, width in pairs)
    return f"<tr>{''.join(cells)}</tr>"
