"""The bytes alive over the events of a trace, as SVG: areas by category, total, peak, phases.

The browser puts only the cursor on it. Knows events and numbers; no browser, no engine.
"""

from __future__ import annotations

from html import escape

from course.views.look import ELSEWHERE, LOOK, size_text
from minigrad.trace.events import shown

WIDTH, HEIGHT, LEFT, RIGHT, UP, DOWN = 1000, 190, 76, 14, 30, 22
BINS = 400  # more events than this are drawn in bins
ID = "%ID%"  # what the browser replaces, so that two views do not share their patterns
STROKE = 'stroke="#fff" stroke-opacity=".65" stroke-width="1.3" fill="none"'
MARKS = {
    "": "",
    "hatch": f'<path d="M-1 1l2-2M0 6l6-6M5 7l2-2" {STROKE}/>',
    "back": f'<path d="M-1 5l2 2M0 0l6 6M5-1l2 2" {STROKE}/>',
    "cross": f'<path d="M0 6l6-6M0 0l6 6" {STROKE}/>',
    "lines": f'<path d="M0 3h6" {STROKE}/>',
    "dots": '<circle cx="3" cy="3" r="1.2" fill="#fff" fill-opacity=".8"/>',
}


def phases(events) -> list:
    """[name, first step, last step] of forward and backward, by turns; none without a walk."""
    depth, start = 0, 0
    found: list = []
    for i, event in enumerate(events):
        if event["kind"] == "backward":
            if depth == 0:
                found.append(["forward", start, i])
                start = i
            depth += 1
        elif event["kind"] == "end":
            depth -= 1
            if depth == 0:
                found.append(["backward", start, i + 1])
                start = i + 1
    if found:
        found.append(["backward" if depth else "", start, len(events)])
    return [phase for phase in found if phase[2] > phase[1]]


def thinned(events) -> list:
    """(first step, last step, event): of each bin the largest event, or the peak would be lost."""
    size = max(1, -(-len(events) // BINS))
    return [
        (i, min(i + size, len(events)), max(events[i : i + size], key=shown))
        for i in range(0, len(events), size)
    ]


def peak_at(events) -> int:
    """The step after which the most bytes are alive; 0 for no events."""
    if not events:
        return 0
    return 1 + max(range(len(events)), key=lambda i: shown(events[i]))


class Scale:
    """Steps and bytes of some traces in pixels."""

    def __init__(self, traces):
        self.most: int = max([1, *map(len, traces)])
        self.top = max([1, *(t.peak for t in traces)])

    def x(self, step):
        return round(LEFT + (WIDTH - LEFT - RIGHT) * step / self.most, 1)

    def y(self, bytes):
        return round(HEIGHT - DOWN - (HEIGHT - UP - DOWN) * bytes / (self.top * 1.04), 1)

    def labels(self) -> list:
        """What is written beside the plot: nothing, half of the top, the top."""
        return [size_text(self.top * part // 2) for part in range(3)]


def svg(traces, labels, which) -> str:
    """The inside of the plot's <svg>, with the areas of one trace and the totals of the others."""
    scale, trace = Scale(traces), traces[which]
    points = thinned(trace.events)
    others = (
        _other(t, label, i, scale)
        for i, (t, label) in enumerate(zip(traces, labels, strict=True))
        if i != which
    )
    parts = [
        f"<defs>{patterns()}</defs>", *(_band(p, scale) for p in phases(trace.events)),
        *_ticks(scale), *areas(points, scale), _total(points, scale, 'class="mg-total"'), *others,
        _peak(trace, scale), _text(WIDTH - RIGHT, HEIGHT - 6, "events", "end"),
        '<path class="mg-cursor" d=""/><circle class="mg-dot" r="4"/>',
    ]  # fmt: skip
    return "".join(parts)


def patterns() -> str:
    return "".join(
        f'<pattern id="{ID}{i}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect width="6" height="6" fill="{colour}"/>{MARKS[mark]}</pattern>'
        for i, (_, colour, mark) in enumerate(LOOK)
    )


def _text(x, y, text, anchor="start", more=""):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {more}>{escape(text)}</text>'


def _band(phase, scale):
    name, start, end = phase
    x, wide = scale.x(start), scale.x(end) - scale.x(start)
    label = _text(x + 4, UP - 18, name) if wide > 58 else ""
    box = f'x="{x}" y="0" width="{wide:.1f}" height="{HEIGHT - DOWN}"'
    return f'<rect class="mg-band {name}" {box}/>{label}'


def _ticks(scale):
    for part, label in enumerate(scale.labels()):
        y = scale.y(scale.top * part // 2)
        yield f'<path class="mg-grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT - 6, y + 4, label, "end")


def areas(points, scale):
    """A path for each category that has bytes, one on the other."""
    floor = [0] * len(points)
    for category in range(ELSEWHERE):
        sizes = [event["bytes"][category] for _, _, event in points]
        if any(sizes):
            up, down = "", ""
            for (a, b, _), low, size in zip(points, floor, sizes, strict=True):
                left, right = scale.x(a), scale.x(b)
                up += f"L{left} {scale.y(low + size)}H{right}"
                down = f"L{right} {scale.y(low)}H{left}" + down
            yield (
                f'<path class="mg-area" data-category="{category}" d="M{up[1:]}{down}Z" '
                f'fill="url(#{ID}{category})"/>'
            )
        floor = [low + size for low, size in zip(floor, sizes, strict=True)]


def _total(points, scale, attributes):
    path = "".join(f"L{scale.x(a)} {scale.y(shown(e))}H{scale.x(b)}" for a, b, e in points)
    return f'<path {attributes} d="M{path[1:] or "0 0"}"/>'


def _other(trace, label, i, scale):
    points = thinned(trace.events)
    dashes = f'class="mg-other" stroke-dasharray="{3 + 3 * (i % 4)} 3"'
    last = shown(trace.events[-1]) if trace.events else 0
    name = _text(scale.x(len(trace)) - 4, scale.y(last) - 5, label, "end", 'class="mg-name"')
    return _total(points, scale, dashes) + name


def _peak(trace, scale):
    if not trace.events:
        return ""
    x, y = scale.x(peak_at(trace.events) - 0.5), scale.y(trace.peak)
    right = x > WIDTH - 140
    label = _text(
        x - 7 if right else x + 7, y - 5, f"peak {size_text(trace.peak)}",
        "end" if right else "start", 'class="mg-peak-text"',
    )  # fmt: skip
    return f'<circle class="mg-peak" cx="{x}" cy="{y}" r="3.5"/>{label}'
