"""The ratios as a picture: a dot for the median, a bar for the quartiles, 1 is PyTorch.

Its ink takes the colour of the page around it, light or dark.
"""

from __future__ import annotations

import io
from typing import Any

INK = "#010203"  # stands for the colour of text until the picture is written
STYLE = "<style>:root{color:#1f2328}@media(prefers-color-scheme:dark){:root{color:#e6edf3}}</style>"
COLOURS = {"minigrad": "#2f81f7", "torch": "#e8701a", "numpy": "#2da44e"}
BASES = "torch", "torch standard"
OTHERS = "#8b949e"
ROW, FRAME = 0.19, 0.7  # inches


def draw(results: dict) -> str | None:
    """The SVG; None if nothing was compared with PyTorch, or matplotlib is not installed."""
    rows = rows_of(results["cases"])
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        return None
    if not rows:
        return None
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "minigrad", "font.size": 8.5}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(8, FRAME + ROW * len(rows)), layout="constrained")
        plot(figure.add_subplot(), rows)
        return svg(figure)


def rows_of(cases: list[dict]) -> list[dict]:
    """A heading for each case, then its ratios over PyTorch in one style."""
    rows: list[dict] = []
    for case in cases:
        found = [r for r in case.get("ratios", ()) if r["over"] in BASES]
        if found:
            rows += [{"heading": case["case"]}]
            rows += found
    return rows


def plot(axes, rows) -> None:
    places = [(len(rows) - i, row) for i, row in enumerate(rows)]
    ratios = [(y, row) for y, row in places if "median" in row]
    for y, row in ratios:
        colour = COLOURS.get(row["engine"].split()[0], OTHERS)
        axes.plot([row["low"], row["high"]], [y, y], color=colour, linewidth=3, alpha=0.45)
        axes.plot(row["median"], y, "o", color=colour, markersize=5)
        number(axes, y, row)
    labels = [(y, row.get("heading") or row["engine"]) for y, row in places]
    axes.set_yticks(*zip(*labels, strict=True))
    for label, (_, row) in zip(axes.get_yticklabels(), places, strict=True):
        label.set_fontweight("bold" if "heading" in row else "normal")
    axes.set_ylim(0, len(rows) + 1)
    scale(axes, max(row["high"] for _, row in ratios), min(row["low"] for _, row in ratios))


def number(axes, y, row) -> None:
    """The median beside its bar, on the side where the line at 1 is not."""
    x, side, align = (row["low"], -5, "right") if row["median"] < 1 else (row["high"], 5, "left")
    style: dict = {"textcoords": "offset points", "fontsize": 7.5, "va": "center", "ha": align}
    axes.annotate(f"{row['median']:.2f}", (x, y), (side, 0), color=INK, **style)


def scale(axes, highest, lowest) -> None:
    """Equal factors are equal distances, and 1 has a line of its own."""
    axes.set_xscale("log")
    axes.set_xlim(min(lowest, 0.5) / 1.6, max(highest, 2) * 1.6)
    ticks = [t for t in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if axes.get_xlim()[0] < t]
    ticks = [t for t in ticks if t < axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.axvline(1, color=INK, linewidth=1)
    axes.grid(axis="x", color=INK, alpha=0.12)
    axes.set_axisbelow(True)
    axes.set_title("CPU time over PyTorch's (left of 1 is faster)", color=INK, fontsize=10)
    axes.tick_params(colors=INK, length=0)
    axes.spines[:].set_visible(False)


def svg(figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    head, tag, body = text.getvalue().replace(INK, "currentColor").partition(" <defs>")
    return head + STYLE + "\n" + tag + "\n".join(line.rstrip() for line in body.splitlines()) + "\n"
