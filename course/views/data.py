"""All that the browser is given: the events, and what can be known before the first step."""

from __future__ import annotations

from course.views import plot
from course.views.layout import layout
from course.views.look import LOOK
from course.views.text import visits
from course.views.words import START, sentences

SHORT, AROUND = 30, 2  # lines: a source shown in full; shown around what ran of a longer one
NOTHING = "an empty trace: nothing was recorded"
GROWING = "recording: the plot grows while the code runs; the steps come when it is over"
GOES_ON = {"line", "born", "node", "backward", "visit", "write"}  # not after the last error
QUIET = {"tensor", "forget", "elsewhere", "gone", "held"}  # no step of its own


def view_data(traces, title="") -> dict:
    """Plain data of {label: trace}, as view.js wants it."""
    listed = list(traces.values())
    scale = plot.Scale(listed)
    wide, floor = plot.WIDTH - plot.LEFT - plot.RIGHT, plot.HEIGHT - plot.DOWN
    size = dict(width=plot.WIDTH, left=plot.LEFT, wide=wide, up=plot.UP, floor=floor)
    return dict(
        title=title, look=LOOK,
        scale=dict(size, most=scale.most, top=scale.top * 1.04),
        traces=[_one(label, trace) for label, trace in traces.items()],
        plots=[plot.svg(listed, list(traces), i) for i in range(len(listed))],
    )  # fmt: skip


def _one(label, trace) -> dict:
    return dict(
        trace.to_json(), label=label, layout=layout(trace),
        words=[_before(trace), *sentences(trace)], recording=trace.recording,
        stops=stops(trace.events), lines=lines(trace.events), peak=trace.peak,
        visits=_visits(trace.events), failed=failed(trace.events), **excerpt(trace),
        about=f"memory over {len(trace)} events of {trace.engine}, peak {trace.peak} bytes",
    )  # fmt: skip


def _before(trace) -> str:
    return GROWING if trace.recording else START if trace.events else NOTHING


def excerpt(trace) -> dict:
    """The part of the source that ran, and the number of its first line."""
    lines = trace.source.rstrip().splitlines()
    ran = {event["line"] for event in trace.events if event["line"]} or {1}
    first = max(1, min(ran) - AROUND) if len(lines) > SHORT else 1
    last = max(ran) + AROUND if len(lines) > SHORT else len(lines)
    return dict(source="\n".join(lines[first - 1 : last]), first=first)


def stops(events) -> list:
    """The steps worth a stop: all but those of the quiet kinds, and the last."""
    end = len(events) - 1
    found = [i + 1 for i, e in enumerate(events) if e["kind"] not in QUIET or i == end]
    return [0, *found]


def failed(events) -> int:
    """Where the error stands that ended it all: nothing but clearing away follows. Or the end."""
    for i in range(len(events) - 1, -1, -1):
        if events[i]["kind"] == "error":
            return i
        if events[i]["kind"] in GOES_ON:
            break
    return len(events)


def lines(events) -> list:
    """The steps at which a line begins, then the error and the end.

    Where nobody told the beginnings (a recording without stepping): where a line is over.
    """
    marks = {i + 1 for i, e in enumerate(events) if e["kind"] in ("line", "error")}
    if not any(e["kind"] == "line" for e in events):
        marks |= {last for _, _, last, _ in _visits(events)}
    return sorted({0, *marks, len(events)})


def _visits(events) -> list:
    """[line, first step, last step, bytes before] of each run of a line."""
    rows, step = [], 0
    for visit in visits(events):
        rows.append([visit.line, step + 1, step + visit.events, visit.before])
        step += visit.events
    return rows
