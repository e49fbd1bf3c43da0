"""A curve of bytes is a staircase: memory moves in jumps, and a label says what made each one.

Takes plain numbers, so that a picture never keeps a tensor alive; knows nothing of engines. The
text says all that the picture says. matplotlib is imported when a picture is asked for.
"""

from course.pictures.style import LINES, quiet, titled
from whoholds.figure import Picture

BAR = 40  # characters of the longest bar in the text
ROW = 60  # characters of labels that fit side by side
TICKS = 7  # of the axis; of more values, or of very near ones, not each is marked


def curve(points, title="", unit=None):
    """A staircase of bytes over labelled steps, as a picture and as text.

    `points` is a list of (label, bytes), or {name: such a list} for several series whose steps
    stand side by side. `unit` is the bytes of one U; without it the axis counts bytes.
    """
    series = points if isinstance(points, dict) else {"": points}
    named = {name: [(str(label), int(n)) for label, n in steps] for name, steps in series.items()}
    if not named or not all(named.values()):
        raise ValueError("a curve needs at least one (label, bytes) in every series")
    if len(named) > len(LINES):
        raise ValueError(f"a curve shows at most {len(LINES)} series; draw two curves")
    return Curve(named, title, unit)


class Curve(Picture):
    """What `curve` returns: shown as a PNG where pictures are shown, else as text."""

    size = (8, 3.6)

    def __init__(self, series, title, unit):
        self.series, self.title, self.unit = series, title, unit

    def __repr__(self):
        rows = [self.title] if self.title else []
        top = max((n for steps in self.series.values() for _, n in steps), default=0)
        for name, steps in self.series.items():
            rows += [f"{name}:"] if name else []
            wide, high = max(len(label) for label, _ in steps), len(f"{top:,}")
            for label, n in steps:
                bar = "#" * round(BAR * n / top) if top > 0 else ""
                rows.append(f"{label:{wide}}  {n:{high},} B  {bar}".rstrip())
        return "\n".join(rows)

    def draw(self, figure):
        axes, tops = figure.subplots(), []
        for (name, steps), (colour, dashes, mark) in zip(self.series.items(), LINES, strict=False):
            places, values = range(len(steps)), [n / (self.unit or 1) for _, n in steps]
            axes.step(places, values, where="mid", color=colour, linestyle=dashes, linewidth=2)
            axes.plot(places, values, mark, color=colour, markersize=5)
            peak = max(places, key=values.__getitem__)
            tops.append(values[peak])
            above = (4, 13 * tops.count(values[peak]) - 7)  # names of equal peaks stack
            at = (peak, values[peak])
            axes.annotate(name, at, above, textcoords="offset points", color=colour)
        self._label(axes)
        room = 1.08 + 0.06 * max(map(tops.count, tops))  # above the highest peak, for its names
        axes.set_ylim(0, room * max(tops) or 1)

    def _bytes(self, axes):
        """Marks the bytes that were there, if these are few; written as in the text."""
        found = sorted({n for steps in self.series.values() for _, n in steps} | {0})
        apart = min((b - a for a, b in zip(found, found[1:], strict=False)), default=0)
        if len(found) <= TICKS and apart > found[-1] / 20:
            axes.set_yticks(found)
        axes.yaxis.set_major_formatter(lambda n, _: f"{n:,.0f}")
        axes.set_ylabel("bytes alive")

    def _label(self, axes):
        labels = [label for label, _ in max(self.series.values(), key=len)]
        slanted = {"rotation": 45, "ha": "right"} if sum(map(len, labels)) > ROW else {}
        axes.set_xticks(range(len(labels)), labels, **slanted)
        if self.unit:
            axes.set_ylabel(f"bytes alive, in U of {self.unit:,}")
        else:
            self._bytes(axes)
        titled(axes, self.title)
        quiet(axes, grid="y")
