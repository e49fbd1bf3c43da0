"""A trace as a table of its lines: bytes alive after each, what was saved and freed, the peak.

`text` stands in for a view, `report` is for a reader who has nothing else.

The same on every run and every machine: no numbers of objects, no times.
"""

from __future__ import annotations

import textwrap
from collections import Counter

from whoholds.events import shown
from whoholds.state import State
from whoholds.views.answer import NOTHING, about, answer, growing, program
from whoholds.views.holds import nameless
from whoholds.views.look import cut, size_text
from whoholds.views.telling import opening, telling
from whoholds.views.words import START, titled

WIDE = 40  # characters of a source line


class Visit:
    """One run of one line, what it calls included: its steps, what it did, the bytes alive after
    it. `again`: the head of a loop or a `with` once more.
    """

    def __init__(self, line, step, before, again=False):
        self.line, self.first, self.last, self.again = line, step, step, again
        self.before, self.after = before, before
        self.notes: list = []


def visits(events) -> list:
    """The runs of lines, in the order in which they begin."""
    state, found, before = State(), [], 0
    running: list = []  # (calls, Visit): a line of the program, of what it has called, ...
    for step, event in enumerate(events, 1):
        line, calls = event["line"], event.get("calls", [])
        for head, *within in event.get("again", ()):
            found.append(Visit(head, step - 1, before, again=True))
            _enter(running, within, found[-1])
        while running and running[-1][0] != calls[: len(running[-1][0])]:
            running.pop()
        here = [(of, visit.line) for of, visit in running[-1:]]
        if event["kind"] == "line" or here != [(calls, line)]:
            found.append(Visit(line, step, before))
            _enter(running, calls, found[-1])
        running[-1][1].notes += [note] if (note := _note(event, state)) else []
        state.apply(event)
        before = shown(event)
        for _, visit in running:
            visit.after, visit.last = before, step
    return found


def _enter(running, calls, visit) -> None:
    """The line that these calls were on before is over, and all that it has called."""
    while running and len(running[-1][0]) >= len(calls):
        running.pop()
    running.append((calls, visit))


def last_visits(events) -> dict:
    """Of each line, the run that was over last."""
    found: dict = {}
    for visit in visits(events):
        if visit.line not in found or visit.last >= found[visit.line].last:
            found[visit.line] = visit
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
    last, source = last_visits(events), trace.source.splitlines()
    times = Counter(visit.line for visit in visits(events) if not visit.again)
    for number in sorted(last):
        rows += _rows(number, source, last[number], times[number])
    peak = max(trace.events, key=shown)
    return [*rows, f"peak {size_text(trace.peak)}" + _at(peak["line"]), *nameless(events)]


def _errors(events) -> list:
    return [f"error{_at(e['line'])}: {e['text']}" for e in events if e["kind"] == "error"]


def _at(line) -> str:
    return f" at line {line}" if line else ""


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
