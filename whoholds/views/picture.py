"""The plot and the lanes at one step as a PNG, for readers that run no script.

Drawn from the same layout as the view in the browser, in pixels on a white page, so that it reads
on a dark theme too. Byte-identical on repeat. matplotlib is imported when a picture is asked for.
"""

from __future__ import annotations

import io
import textwrap

from whoholds.events import shown
from whoholds.state import State
from whoholds.views import lanes, plot, rows
from whoholds.views.data import excerpt
from whoholds.views.folds import Folds
from whoholds.views.layout import layouts
from whoholds.views.look import ELSEWHERE, LOOK, cut, size_text
from whoholds.views.telling import failed, opening, telling
from whoholds.views.text import visits
from whoholds.views.words import START

INK, SOFT, PAPER, ACCENT, RED = "#212121", "#616161", "#ffffff", "#1976d2", "#d32f2f"
HATCHES = {"": "", "dots": "..", "hatch": "///", "cross": "xx", "back": "\\\\\\", "lines": "---"}
LEAST, PLOT, LEGEND, CAPTION = 900, 200, 26, 20  # pixels: width; heights of the parts
TALL = 2400  # pixels; a graph beyond this is told, not drawn
DPI = 150
COLOURS = 64
BESIDE = 300  # pixels beside the lanes that are enough for the source


def picture(traces, which=0, step=None) -> bytes:
    """A PNG of {label: trace}: all totals, and the lanes of one after `step` events.

    Without `step`: at the telling one.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

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
    with rc_context({"font.family": ["DejaVu Sans"], "hatch.linewidth": 0.6}):
        figure = Figure(figsize=(width / 100, height / 100), facecolor=PAPER)
        left = _left(traces.values())
        foot, wide = 1 - (PLOT - 26) / height, 1 - (left + 18) / width
        axes = figure.add_axes((left / width, foot, wide, (PLOT - 52) / height))
        _plot(axes, list(traces.values()), labels, which, step)
        page = _page(figure, width, height)
        _legend(page, trace, left + 4.0)
        for i, (line, colour) in enumerate(caption):
            write(page, 12, PLOT + LEGEND + CAPTION * (i + 1), line, colour, bold=colour == INK)
        if drawn:
            rows.draw(page, listed, head, width)
            lanes.draw(page, state, places, event, head + above)
        if lines:
            _source(page, lines, places["width"] + 12, head, width)
        return png(figure)


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
    after = {visit.line: visit.after for visit in visits(events)}
    now = events[-1]["line"] if events else 0
    code = enumerate(part["source"].splitlines(), part["first"])
    return [(number, text, after.get(number), number == now) for number, text in code]


def _source(page, lines, left, top, right):
    """The source with its bytes, beside lanes that leave room for it."""
    from matplotlib.patches import Rectangle

    write(page, left, top + 14, "bytes after each line", SOFT, 12, bold=True)
    for y, (number, code, after, now) in enumerate(lines):
        y = top + 40 + 18 * y
        if now:
            place = (left, y - 13), right - left - 8, 18
            page.add_artist(Rectangle(*place, facecolor=ACCENT, alpha=0.14, linewidth=0))
        write(page, left + 58, y, "" if after is None else size_text(after), SOFT, ha="right")
        write(page, left + 84, y, str(number), SOFT, ha="right")
        code = cut(code, int((right - left - 100) / 6.7))
        write(page, left + 92, y, code, family="DejaVu Sans Mono")


def png(figure) -> bytes:
    """The figure as a PNG of few colours: a third of the bytes, for they are committed."""
    from PIL import Image

    file, small = io.BytesIO(), io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI, pil_kwargs={"compress_level": 1})  # read at once
    Image.open(file).convert("RGB").quantize(COLOURS).save(small, format="png", optimize=True)
    return small.getvalue()


def _state(trace, step) -> State:
    state = State()
    for event in trace.events[:step]:
        state.apply(event)
    return state


def _page(figure, width, height):
    """Axes over the whole figure, in pixels from its upper left corner.

    Shapes are added as any artist: `add_patch` works out limits, and these are known.
    """
    page = figure.add_axes((0, 0, 1, 1), zorder=-1)
    page.set_xlim(0, width)
    page.set_ylim(height, 0)
    page.axis("off")
    return page


def write(page, x, y, text, colour=INK, size=11.0, bold=False, **more):
    """Text of `size` pixels, its foot at y. A dollar sign is a dollar sign."""
    page.text(
        x, y, text.replace("$", r"\$"), color=colour, fontsize=size * 0.72,
        fontweight="bold" if bold else "normal", **more,
    )  # fmt: skip


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


def _plot(axes, traces, labels, which, step):
    scale, trace = plot.Scale(traces), traces[which]
    points = plot.thinned(trace.events)
    _phases(axes, trace)
    _areas(axes, points)
    for i, other in enumerate(traces):
        _total(axes, other, labels[i] if i != which else "", "-" if i == which else "--")
    axes.axvline(step, color=ACCENT, linewidth=1.6)
    if trace.events:
        at = plot.peak_at(trace.events) - 0.5
        right = at > 0.8 * scale.most
        axes.plot(at, trace.peak, "o", markersize=4, markerfacecolor=PAPER, color=INK)
        axes.annotate(
            f"peak {size_text(trace.peak)}", (at, trace.peak), (-6 if right else 6, 4),
            textcoords="offset points", ha="right" if right else "left", fontsize=8.5,
        )  # fmt: skip
    axes.set_xlim(0, scale.most)
    axes.set_ylim(0, scale.top * 1.12)
    axes.set_yticks([0, scale.top // 2, scale.top], scale.labels())
    axes.tick_params(labelsize=8, colors=SOFT, length=0)
    axes.set_xlabel("events", fontsize=8, color=SOFT, loc="right", labelpad=1)
    axes.grid(axis="y", color="#bdbdbd", linewidth=0.5)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _left(traces) -> float:
    """Pixels beside the plot, as many as its labels need."""
    return max(58, 14 + max(map(lanes.wide_of, plot.Scale(traces).labels())) * 8 / 72 * 100)


def _phases(axes, trace):
    for name, start, end in plot.phases(trace.events):
        if name == "backward":
            axes.axvspan(start, end, color=ACCENT, alpha=0.1, linewidth=0)
        if name and end - start > len(trace) / 16:
            place = dict(transform=axes.get_xaxis_transform(), va="bottom", fontsize=8)
            axes.text(start, 1.01, f" {name}", color=SOFT, **place)


def _areas(axes, points):
    edges = [a for a, _, _ in points] + [b for _, b, _ in points[-1:]]
    floor = [0] * len(points)
    for (_, colour, mark), category in zip(LOOK, range(ELSEWHERE), strict=True):
        top = [low + e["bytes"][category] for low, (_, _, e) in zip(floor, points, strict=True)]
        if top != floor:
            _stairs(
                axes, top, edges, baseline=floor, facecolor=colour, edgecolor="#ffffffa0",
                hatch=HATCHES[mark], linewidth=0,
            )  # fmt: skip
        floor = top


def _stairs(axes, heights, edges, **look):
    """As `axes.stairs`, which goes over every step once more to find limits that are known."""
    from matplotlib.patches import StepPatch

    axes.add_artist(StepPatch(heights, edges, **look))


def _total(axes, trace, label, style):
    points = plot.thinned(trace.events)
    if points:
        edges = [a for a, _, _ in points] + [points[-1][1]]
        heights = [shown(e) for _, _, e in points]
        line = dict(fill=False, edgecolor=INK, linewidth=1.2, linestyle=style)
        _stairs(axes, heights, edges, baseline=None, **line)
        at = len(trace), heights[-1]
        place = dict(textcoords="offset points", fontsize=8, ha="right")
        paper = dict(facecolor=PAPER, alpha=0.85, linewidth=0, pad=1) if label else None
        axes.annotate(label, at, (-3, 3), bbox=paper, **place)


def _legend(page, trace, x):
    from matplotlib.patches import Rectangle

    for i, (label, colour, mark) in enumerate(LOOK):
        if any(event["bytes"][i] for event in trace.events):
            page.add_artist(
                Rectangle((x, PLOT + 2), 18, 12, facecolor=colour, edgecolor="#ffffffc0",
                          hatch=HATCHES[mark], linewidth=0)
            )  # fmt: skip
            write(page, x + 24, PLOT + 12, cut(label, 14), SOFT)
            x += 24 + 11 * lanes.wide_of(cut(label, 14)) + 22
