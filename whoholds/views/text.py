"""A trace as a table of its lines: bytes alive after each, what was saved and freed, the peak.

`text` stands in for a view, `report` is for a reader who has nothing else.

The same on every run and every machine: no numbers of objects, no times.
"""

from __future__ import annotations

import textwrap

from whoholds.events import shown
from whoholds.state import State
from whoholds.views.answer import NOTHING, about, answer, growing, program
from whoholds.views.holds import nameless
from whoholds.views.look import cut, size_text
from whoholds.views.telling import opening, telling
from whoholds.views.words import START, titled

WIDE = 40  # characters of a source line


class Visit:
    """One run of one line: its number, what it did, the bytes alive after it."""

    def __init__(self, line, before):
        self.line, self.before, self.after = line, before, before
        self.events, self.notes = 0, []


def visits(events) -> list:
    """The runs of lines, in order."""
    state = State()
    found: list = []
    for event in events:
        if not found or event["kind"] == "line" or event["line"] != found[-1].line:
            found.append(Visit(event["line"], found[-1].after if found else 0))
        note = _note(event, state)
        state.apply(event)
        found[-1].after, found[-1].events = shown(event), found[-1].events + 1
        found[-1].notes += [note] if note else []
    return found


def _note(e, state):
    if e["kind"] == "save":
        new = "0 new" if e["shared"] else size_text(e["size"])
        return f"{titled(state, e['node'])} saves {e['slot']} ({new})"
    if e["kind"] == "free" and state.nodes[e["node"]]["slots"]:
        return f"{titled(state, e['node'])} frees what it saved"
    return None


def text(trace, step=None, opens=None) -> str:
    """The first `step` events, or all of them; then the step that the view `opens` on.

    Stable, for text/plain.
    """
    events = trace.events[:step]
    rows = [trace.title] if trace.title else []
    if not trace.events:
        return "\n".join([*rows, NOTHING])
    rows += _table(trace, events)
    rows += growing(trace)
    at = opens or telling(trace) if step is None else len(events)
    said = f"step {at} of {len(trace)}: {opening(trace, at) or START}"
    return "\n".join([*rows, *trace.lost, *_errors(events), said])


def report(trace) -> str:
    """For a reader without the view: the program and engine, the answer, the table, ways out."""
    told = answer(trace)
    rows = [": ".join(filter(None, [program(trace), about(trace)])), *told, *trace.lost]
    if trace.events:
        rows += [f"way out: {way}" for way in getattr(trace, "ways", ())]
        rows += ["", *_table(trace, trace.events)]
        rows += [row for row in growing(trace) if row not in told] + _errors(trace.events)
    return "\n".join(rows)


def _table(trace, events) -> list:
    """A row for each line that ran, with what it saved; the peak; what is alive without a name."""
    rows = [f"{'line':>4}  {'bytes after':>13}  {'change':>13}  source"]
    last, source = _last(events), trace.source.splitlines()
    for number in sorted(last):
        rows += _rows(number, source, *last[number])
    peak = max(trace.events, key=shown)
    return [*rows, f"peak {size_text(trace.peak)}" + _at(peak["line"]), *nameless(events)]


def _errors(events) -> list:
    return [f"error{_at(e['line'])}: {e['text']}" for e in events if e["kind"] == "error"]


def _at(line) -> str:
    return f" at line {line}" if line else ""


def _last(events) -> dict:
    """Of each line, its last run and how many there were."""
    found: dict = {}
    for visit in visits(events):
        found[visit.line] = visit, found.get(visit.line, (None, 0))[1] + 1
    return found


def _rows(number, source, visit, times):
    code = source[number - 1] if 0 < number <= len(source) else ""
    label = str(number) if number else "-"
    code = cut(code.rstrip(), WIDE) + (f"  (run {times} times)" if times > 1 else "")
    after, change = size_text(visit.after), f"{visit.after - visit.before:+,} B"
    row = f"{label:>4}  {after:>13}  {change:>13}  {code}"
    yield row.rstrip()
    for note, count in _counted(visit.notes):
        yield from textwrap.wrap(
            note + (f" x{count}" if count > 1 else ""), 79,
            initial_indent=" " * 36 + "- ", subsequent_indent=" " * 38,
        )  # fmt: skip


def _counted(notes):
    """Equal notes once, with their number."""
    return {note: notes.count(note) for note in notes}.items()
