"""All that the browser is given: the events, and what can be known before the first step."""

from __future__ import annotations

from whoholds.views import markup, plot
from whoholds.views.folds import Folds
from whoholds.views.help import HELP
from whoholds.views.layout import layouts
from whoholds.views.look import LOOK, size_text
from whoholds.views.telling import failed, opening, telling
from whoholds.views.text import visits
from whoholds.views.words import START, sentences

SHORT, AROUND = 30, 2  # lines: a source shown in full; shown around what ran of a longer one
NOTHING = "an empty trace: nothing was recorded"
GROWING = "recording: the plot grows while the code runs; the steps come when it is over"
GOES_ON = {"line", "born", "node", "backward", "visit", "write"}  # not after the last error
QUIET = {"tensor", "forget", "elsewhere", "gone", "held"}  # no step of its own


def view_data(traces, title="", opens=None, hide=False) -> dict:
    """Plain data of {label: trace}, as view.js wants it.

    `opens`: the step that each trace is opened on, by default its telling one. `hide`: of the plot
    only what was stepped over is shown.
    """
    listed = list(traces.values())
    opens = opens or [telling(trace) for trace in listed]
    scale = plot.Scale(listed)
    return dict(
        title=title, look=LOOK, help=HELP, hide=hide,
        frame=markup.frame(title or (listed[0].title if len(listed) == 1 else ""), list(traces)),
        scale=dict(left=scale.left(), right=plot.RIGHT, most=scale.most, top=scale.top * 1.04),
        traces=[
            _one(label, trace, step, hide)
            for (label, trace), step in zip(traces.items(), opens, strict=True)
        ],
        plots=[drawn(listed, list(traces), i) for i in range(len(listed))],
    )  # fmt: skip


def drawn(traces, labels, which) -> dict:
    """The plot and its legend."""
    svg = plot.svg(traces, labels, which)
    return dict(svg=svg, legend=markup.legend(traces[which]))


def _one(label, trace, step, hide) -> dict:
    peak = "" if hide else f", peak {size_text(trace.peak)}"
    part = excerpt(trace)
    whole = layouts(trace)
    groups = Folds(trace, whole).groups
    return dict(
        trace.to_json(), label=label, opens=step,
        layouts=[] if groups else _headed(whole),
        folds=[dict(group, layouts=_headed(group["layouts"])) for group in groups],
        words=_words(trace, step, hide), recording=trace.recording,
        stops=stops(trace.events), lines=lines(trace.events), peak=trace.peak,
        highest=plot.peak_at(trace.events),
        visits=_visits(trace.events), failed=failed(trace.events),
        rows=markup.rows(part["source"], part["first"]), **part,
        beside=markup.widths(part["source"], trace.peak),
        about=f"Bytes alive over {len(trace)} events of {trace.engine}{peak}",
    )  # fmt: skip


def _headed(layouts) -> list:
    return [dict(one, heads=markup.heads(one)) for one in layouts]


def _words(trace, step, hide) -> list:
    """The sentence of each step; that of the step it opens on says what one sees there."""
    before = GROWING if trace.recording else START if trace.events else NOTHING
    found = [before, *sentences(trace)]
    found[step] = opening(trace, step, plain=hide) or found[step]
    return found


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
    return [[visit.line, visit.first, visit.last, visit.before] for visit in visits(events)]
