"""The plot and the lanes at one step as a PNG, for readers that run no script.

Drawn from the same layout as the view in the browser, in pixels on a white page, so that it reads
on a dark theme too. Byte-identical on repeat.
"""

from __future__ import annotations

import textwrap

from whoholds.events import shown
from whoholds.state import State
from whoholds.views import lanes, plot, rows
from whoholds.views.data import excerpt
from whoholds.views.drawing import ACCENT, INK, PAPER, RED, SOFT, Page, png, wide_of
from whoholds.views.folds import Folds
from whoholds.views.layout import layouts
from whoholds.views.look import ELSEWHERE, LOOK, cut, size_text
from whoholds.views.telling import failed, opening, telling
from whoholds.views.text import last_visits
from whoholds.views.words import START

LEAST, PLOT, LEGEND, CAPTION = 900, 200, 26, 20  # pixels: width; heights of the parts
UP, LOW, RIGHT = 26, 174, 18  # of the plot's frame: its top, its foot, pixels beside it
TALL = 2400  # pixels; a graph beyond this is told, not drawn
BESIDE = 300  # pixels beside the lanes that are enough for the source
MARKED, BACKWARD, GRID = "#dfecf8", "#e8f1fa", "#bdbdbd"
TICKS = 8  # at most


def picture(traces, which=0, step=None) -> bytes:
    """A PNG of {label: trace}: all totals, and the lanes of one after `step` events.

    Without `step`: at the telling one.
    """
    trace, labels = list(traces.values())[which], list(traces)
    step = telling(trace) if step is None else max(0, min(step, len(trace)))
    state, event = _state(trace, step), trace.events[step - 1 : step]
    listed, places, state = _folded(trace, state, event)
    above, low = rows.HIGH * len(listed), lanes.bottom(places, state)
    drawn = above + low <= TALL
    width = max(LEAST, places["width"])
    beside = drawn and not listed and width - places["width"] >= BESIDE
    lines = _source_lines(trace, step) if beside else []
    caption = _caption(trace, step, drawn, width)
    head = PLOT + LEGEND + CAPTION * (1 + len(caption))
    height = head + (above + max(low, 34 + 18 * len(lines)) if drawn else 0)
    page = Page(width, height)
    _Plot(page, list(traces.values()), labels, which, width).draw(step)
    _legend(page, trace, _left(traces.values()) + 4.0)
    for i, (line, colour) in enumerate(caption):
        face = "bold" if colour == INK else ""
        page.text(12, PLOT + LEGEND + CAPTION * (i + 1), line, colour, face=face)
    if drawn:
        rows.draw(page, listed, head, width)
        lanes.draw(page, state, places, event, head + above)
    if lines:
        _source(page, lines, places["width"] + 12, head, width)
    return png(page.image())


def _folded(trace, state, event) -> tuple:
    """The rows of a large trace; the layout, and the state of the cards that are drawn."""
    whole = layouts(trace)
    folds = Folds(trace, whole)
    if not folds.groups:
        return [], whole[0], state
    group = folds.follow(state, event[0] if event else {}) or 0
    listed = folds.rows(state, group)
    return listed, folds.groups[group]["layouts"][0], folds.part(state, group)


def _source_lines(trace, step) -> list:
    """(number, code, bytes after it or None, whether it runs now) of each line to be shown."""
    part, events = excerpt(trace), trace.events[:step]
    after = {line: visit.after for line, visit in last_visits(events).items()}
    now = events[-1]["line"] if events else 0
    code = enumerate(part["source"].splitlines(), part["first"])
    return [(number, text, after.get(number), number == now) for number, text in code]


def _source(page, lines, left, top, right):
    """The source with its bytes, beside lanes that leave room for it."""
    page.text(left, top + 14, "bytes after each line", SOFT, 12, "bold")
    for y, (number, code, after, now) in enumerate(lines):
        y = top + 40 + 18 * y
        if now:
            page.box(left, y - 13, right - left - 8, 18, MARKED)
        page.text(left + 58, y, "" if after is None else size_text(after), SOFT, side="right")
        page.text(left + 84, y, str(number), SOFT, side="right")
        page.text(left + 92, y, cut(code, int((right - left - 100) / 6.7)), face="mono")


def _state(trace, step) -> State:
    state = State()
    for event in trace.events[:step]:
        state.apply(event)
    return state


def _caption(trace, step, drawn, width) -> list:
    """(line, colour): the step in words, then what the picture leaves out."""
    if not trace.events:
        return [("an empty trace: nothing was recorded", INK)]
    event = trace.events[step - 1] if step else None
    count = f"step {step} of {len(trace)}: {opening(trace, step) or START}"
    rows = [(row, INK) for row in textwrap.wrap(count, int(width / 7.4))]
    if step > (wrong := failed(trace.events)) or event and event["kind"] == "error":
        error = f"error: {trace.events[min(wrong, step - 1)]['text']}"
        rows += [(row, RED) for row in textwrap.wrap(error, int(width / 7.4))]
    if event and event["bytes"][ELSEWHERE]:
        outside = size_text(event["bytes"][ELSEWHERE])
        rows.append((f"and {outside} elsewhere: allocated before, not drawn", SOFT))
    if not drawn:
        rows.append(
            ("the graph is too large for a picture; the view in the browser shows it", SOFT)
        )
    return rows


# -- the plot --


class _Plot:
    """The bytes over the events: of one trace in areas, of the others their totals."""

    def __init__(self, page, traces, labels, which, width):
        self.page, self.traces, self.labels, self.which = page, traces, labels, which
        self.scale, self.trace = plot.Scale(traces), traces[which]
        self.left, self.right = _left(traces), width - RIGHT

    def x(self, step) -> float:
        return self.left + (self.right - self.left) * step / self.scale.most

    def y(self, bytes) -> float:
        return LOW - (LOW - UP) * bytes / (self.scale.top * 1.12)

    def draw(self, step):
        points = plot.thinned(self.trace.events)
        self._phases()
        self._grid()
        self._areas(points)
        for i, (trace, label) in enumerate(zip(self.traces, self.labels, strict=True)):
            other = i != self.which
            self._total(trace, label if other else "", "--" if other else "-")
        self.page.line([(self.x(step), UP), (self.x(step), LOW)], ACCENT, 2.2)
        if self.trace.events:
            self._peak()

    def _phases(self):
        for name, start, end in plot.phases(self.trace.events):
            if name == "backward":
                self.page.box(self.x(start), UP, self.x(end) - self.x(start), LOW - UP, BACKWARD)
            if name and end - start > len(self.trace) / 16:
                self.page.text(self.x(start) + 4, UP - 5, name, SOFT)

    def _grid(self):
        for part, label in enumerate(self.scale.labels()):
            y = self.y(self.scale.top * part // 2)
            self.page.line([(self.left, y), (self.right, y)], GRID, 0.7)
            self.page.text(self.left - 5, y + 4, label, SOFT, side="right")
        apart = tick(self.scale.most)
        for step in range(0, self.scale.most + 1, apart):
            self.page.text(self.x(step), LOW + 14, str(step), SOFT, side="middle")
        self.page.text(self.right, LOW + 26, "events", SOFT, side="right")

    def _areas(self, points):
        floor = [0] * len(points)
        for (_, colour, mark), category in zip(LOOK, range(ELSEWHERE), strict=True):
            top = [low + e["bytes"][category] for low, (_, _, e) in zip(floor, points, strict=True)]
            for first, last in _raised(floor, top):
                part = slice(first, last)
                up, down = (
                    self._stairs(points[part], top[part]),
                    self._stairs(points[part], floor[part]),
                )
                self.page.area([*up, *reversed(down)], colour, mark)
            floor = top

    def _stairs(self, points, heights) -> list:
        ends = ((a, b, self.y(h)) for (a, b, _), h in zip(points, heights, strict=True))
        return [(self.x(step), y) for a, b, y in ends for step in (a, b)]

    def _total(self, trace, label, style):
        points = plot.thinned(trace.events)
        if not points:
            return
        stairs = self._stairs(points, [shown(e) for _, _, e in points])
        self.page.line(stairs, INK, 1.7, style)
        if label:
            (x, y), wide = stairs[-1], 11 * wide_of(label)
            self.page.box(x - wide - 6, y - 15, wide + 4, 14, PAPER)
            self.page.text(x - 4, y - 4, label, side="right")

    def _peak(self):
        at = plot.peak_at(self.trace.events) - 0.5
        x, y, late = self.x(at), self.y(self.trace.peak), at > 0.8 * self.scale.most
        self.page.dot(x, y, 3)
        words = f"peak {size_text(self.trace.peak)}"
        by, side = (-8, "right") if late else (8, "left")
        self.page.text(x + by, y - 6, words, side=side)


def _raised(floor, top):
    """(first, end) of the runs of points where there are bytes."""
    first = None
    for i, (low, high) in enumerate(zip(floor, top, strict=True)):
        if high > low and first is None:
            first = i
        if high == low and first is not None:
            yield first, i
            first = None
    if first is not None:
        yield first, len(top)


def tick(most: int) -> int:
    """Events between two numbers below the plot: 1, 2 or 5, or ten times as many, and so on."""
    apart = 1
    while most // apart > TICKS:
        apart = apart * 5 // 2 if str(apart)[0] == "2" else apart * 2
    return apart


def _left(traces) -> float:
    """Pixels beside the plot, as many as its labels need."""
    return max(58, 14 + max(map(wide_of, plot.Scale(traces).labels())) * 11)


def _legend(page, trace, x):
    for i, (label, colour, mark) in enumerate(LOOK):
        if any(event["bytes"][i] for event in trace.events):
            page.box(x, PLOT + 2, 18, 12, colour, mark)
            page.text(x + 24, PLOT + 12, cut(label, 14), SOFT)
            x += 24 + 11 * wide_of(cut(label, 14)) + 22
