"""The bytes alive over the events of a trace, as an SVG: areas by category, total, peak, phases.

The browser puts cursor, dot and cover in their place. Knows events and numbers; no engine.
"""

from __future__ import annotations

from html import escape
from itertools import accumulate

from whoholds.events import shown
from whoholds.growth import growth
from whoholds.views.look import ELSEWHERE, LOOK, size_text

WIDTH, LEFT, RIGHT, UP, DOWN = 1000, 20, 14, 26, 16  # of the frame; pixels around it
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
    """[name, first step, last step] of forward and backward; none without a walk.

    Where nothing is recorded, as between two walks of one graph, is no forward.
    """
    depth, start = 0, 0
    found: list = []
    for i, event in enumerate(events):
        if event["kind"] == "backward":
            if depth == 0:
                records = any(one["kind"] == "node" for one in events[start:i])
                found.append(["forward" if records else "", start, i])
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
    """Steps and bytes of some traces in parts of a frame: WIDTH wide, 100 high."""

    def __init__(self, traces):
        self.most: int = max([1, *map(len, traces)])
        self.top = max([1, *(t.peak for t in traces)])

    def x(self, step):
        return round(WIDTH * step / self.most, 1)

    def y(self, bytes):
        return round(100 - 100 * bytes / (self.top * 1.04), 2)

    def labels(self) -> list:
        """What is written beside the plot: nothing, half of the top, the top."""
        return [size_text(self.top * part // 2) for part in range(3)]

    def left(self) -> int:
        """Pixels that the labels take."""
        return LEFT + 6 * max(map(len, self.labels()))


def svg(traces, labels, which) -> str:
    """The plot as HTML, with the areas of one trace and the totals of the others.

    Curves are stretched to the frame, whatever its width; words keep their size.
    """
    scale, trace = Scale(traces), traces[which]
    points = thinned(trace.events)
    others = [i for i in range(len(traces)) if i != which]
    found = phases(trace.events)
    nodes = Nodes(trace, scale, points)
    curves = [
        *(_band(p, scale) for p in found), *areas(points, scale),
        _total(points, scale, 'class="mg-total"'), *(_other(traces[i], i, scale) for i in others),
        nodes.path(),
    ]  # fmt: skip
    words = [
        *(_phase(p, scale) for p in found), *_ticks(scale), _peak(trace, scale),
        *(_name(traces[i], labels[i], scale) for i in others), nodes.label(),
        _text("100%", "100%", "events", "end", f'dy="{DOWN - 4}" data-word="events"'),
    ]  # fmt: skip
    return (
        f'<div class="mg-frame" style="{_place(scale)}"><svg><defs>{patterns()}</defs>'
        f'<svg class="mg-curves" viewBox="0 0 {WIDTH} 100" preserveAspectRatio="none">'
        f"{''.join(curves)}</svg>{''.join(words)}</svg>{OVER}</div>"
    )


OVER = (
    '<div class="mg-cover" data-word="covered">not stepped yet</div>'
    '<div class="mg-cursor"></div><div class="mg-dot"></div>'
)


def _place(scale) -> str:
    return f"left:{scale.left()}px;right:{RIGHT}px;top:{UP}px;bottom:{DOWN}px"


def patterns() -> str:
    return "".join(
        f'<pattern id="{ID}{i}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect width="6" height="6" fill="{colour}"/>{MARKS[mark]}</pattern>'
        for i, (_, colour, mark) in enumerate(LOOK)
    )


def _part(x) -> str:
    return f"{x * 100 / WIDTH:.2f}%"


def _text(x, y, text, anchor="start", more=""):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {more}>{escape(text)}</text>'


def _band(phase, scale):
    name, start, end = phase
    x, wide = scale.x(start), scale.x(end) - scale.x(start)
    return f'<rect class="mg-band {name}" x="{x}" y="-40" width="{wide:.1f}" height="140"/>'


def _phase(phase, scale):
    """The name of a phase, cut off where the next one begins."""
    name, start, end = phase
    x, wide = _part(scale.x(start)), _part(scale.x(end) - scale.x(start))
    text = _text(4, 11, name, more=f'data-word="{name}"')
    return f'<svg x="{x}" y="{-UP}" width="{wide}" height="14">{text}</svg>' if name else ""


def _ticks(scale):
    for part, label in enumerate(scale.labels()):
        y = f"{scale.y(scale.top * part // 2)}%"
        yield f'<line class="mg-grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        more = f'dy="4" class="mg-tick{part}" data-word="scale"'
        yield _text(-6, y, label, "end", more)


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


def _other(trace, i, scale):
    dashes = f'class="mg-other" stroke-dasharray="{3 + 3 * (i % 4)} 3"'
    return _total(thinned(trace.events), scale, dashes)


def _name(trace, label, scale):
    """What another trace is called, at its end."""
    last = shown(trace.events[-1]) if trace.events else 0
    place = _part(scale.x(len(trace))), f"{scale.y(last)}%"
    return _text(*place, label, "end", 'dx="-4" dy="-5" class="mg-name"')


class Nodes:
    """A line for the nodes that are alive, where a graph grows from turn to turn: bytes need not.

    It has a scale of its own, from none to the most.
    """

    def __init__(self, trace, scale, points):
        self.scale, self.points = scale, points
        changes = ((e["kind"] == "node") - (e["kind"] == "gone") for e in trace.events)
        self.alive = [*accumulate(changes)] if not trace.recording and growth(trace).graph else []

    def path(self) -> str:
        if not self.alive:
            return ""
        rows = ((a, b, max(self.alive[a:b])) for a, b, _ in self.points)
        path = "".join(f"L{self.scale.x(a)} {self._y(n)}H{self.scale.x(b)}" for a, b, n in rows)
        return f'<path class="mg-nodes" d="M{path[1:]}"/>'

    def label(self) -> str:
        if not self.alive:
            return ""
        text = f"{self.alive[-1]:,} nodes alive"
        more = 'dx="-4" dy="-5" class="mg-name" data-word="nodes"'
        return _text(
            _part(self.scale.x(len(self.alive))), f"{self._y(self.alive[-1])}%", text, "end", more
        )

    def _y(self, number):
        return round(100 - 96 * number / max(self.alive), 2)


def _peak(trace, scale):
    if not trace.events:
        return ""
    x, y = scale.x(peak_at(trace.events) - 0.5), f"{scale.y(trace.peak)}%"
    right = x > 0.6 * WIDTH
    label = _text(
        _part(x), y, f"peak {size_text(trace.peak)}", "end" if right else "start",
        f'dx="{-7 if right else 7}" dy="-5" class="mg-peak-text" data-word="peak"',
    )  # fmt: skip
    return f'<circle class="mg-peak" cx="{_part(x)}" cy="{y}" r="3.5"/>{label}'
