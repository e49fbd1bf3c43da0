"""What a trick saves, and beside it what it breaks: bytes and wrongness as bars of one picture.

Knows no engine: tensors are read through `tolist()`. The text gives a verdict for each row, which
is a claim; the digits differ from machine to machine, so they are marked `~measured`.
"""

import math

from course.pictures.curve import BAR
from course.pictures.style import INK, LINES, quiet, titled
from whoholds.figure import Picture

RIGHT, WRONG = 1e-4, 1e-2  # below the one: rounding; above the other: no longer the same gradient
CALM = {"color": INK}  # a right result may be a long bar on a log axis, but none that alarms
ALARM = {"color": LINES[1][0], "hatch": "///", "edgecolor": "#ffffff55"}
NEAR = 30  # between a rule of thumb about rounding and what another processor rounds
SIDES = {"xytext": (-8, 4), "ha": "right"}, {"xytext": (8, -10)}  # of a point, by turns
FLOOR = 1e-8  # where the bars of wrongness begin: a tenth of float32's last digit


def wrongness(got, right):
    """The relative error of the worst of several tensors: ||got - right|| / ||right||."""
    if len(got) != len(right):
        raise ValueError(f"{len(got)} gradients against {len(right)}; give as many of each")
    return max(_relative(a, b) for a, b in zip(got, right, strict=True))


def _relative(got, right):
    got, right = (t.detach().reshape(-1).tolist() for t in (got, right))
    error = math.dist(got, right) / (math.hypot(*right) or 1.0)
    return math.inf if math.isnan(error) else error  # so that max() cannot overlook it


def verdict(error):
    """ "right", "off" or "WRONG": what may be said of an error on every machine."""
    return "right" if error < RIGHT else "off" if error < WRONG else "WRONG"


def bars(rows, title="", unit=None):
    """`rows` is {name: (bytes, wrongness)}: two bars for each name, as a picture and as text."""
    if not rows:
        raise ValueError("bars need at least one row, {name: (bytes, wrongness)}")
    return Bars({str(name): (int(n), float(e)) for name, (n, e) in rows.items()}, title, unit)


class Bars(Picture):
    """What `bars` returns: shown as a PNG where pictures are shown, else as text."""

    def __init__(self, rows, title, unit):
        self.rows, self.title, self.unit = rows, title, unit
        self.size = (8, 1.1 + 0.42 * len(rows))

    def __repr__(self):
        wide, top = max(map(len, self.rows)), max(n for n, _ in self.rows.values()) or 1
        lines = [self.title] if self.title else []
        for name, (n, error) in self.rows.items():
            bar = "#" * round(BAR / 2 * n / top)
            lines.append(
                f"{name:{wide}}  {self._bytes(n):>9} {bar:20}  {verdict(error):5}  "
                f"off by ~{_plain(error)} measured"
            )
        return "\n".join(lines)

    def _bytes(self, n):
        return f"{n / self.unit:.1f} U" if self.unit else f"{n} B"

    def draw(self, figure):
        figure.suptitle(self.title, color=INK, x=0.01, ha="left", fontsize=11)
        memory, wrong = figure.subplots(1, 2, sharey=True)
        self._draw_memory(memory)
        self._draw_wrong(wrong)
        memory.set_yticks(range(len(self.rows)), list(self.rows))
        memory.invert_yaxis()

    def _draw_memory(self, axes):
        values = [n / (self.unit or 1) for n, _ in self.rows.values()]
        axes.barh(range(len(values)), values, 0.55, color=LINES[0][0])
        for place, (n, _) in enumerate(self.rows.values()):
            _write(axes, values[place], place, self._bytes(n))
        axes.set_xlim(0, 1.25 * max(*values, 1e-9))
        axes.set_xlabel("memory at its highest")
        _flat(axes)

    def _draw_wrong(self, axes):
        shown = [min(max(error, FLOOR), 1e3) for _, error in self.rows.values()]
        axes.set_xscale("log")
        for place, (_, error) in enumerate(self.rows.values()):
            look = CALM if verdict(error) == "right" else ALARM
            axes.barh(place, shown[place] - FLOOR, 0.55, left=FLOOR, **look)
            beside = 1 if 0.01 < error < 1 else shown[place]  # not across the line at 100 %
            _write(axes, beside, place, said(error))
        axes.set_xlim(FLOOR, 3e2 * max(*shown, 1e-2))
        axes.axvline(1, color=INK, linestyle=":", linewidth=1)
        axes.set_xticks([1e-6, 1e-3, 1], ["0.0001 %", "0.1 %", "100 %"])
        axes.minorticks_off()
        axes.set_xlabel("wrongness of the gradient")
        _flat(axes)


def against(points, title="", across="", up=""):
    """`points` is {label: (expected, measured)}, on the line where both are equal; log scales."""
    if not points:
        raise ValueError("against needs at least one point, {label: (expected, measured)}")
    return Against(
        {str(k): (float(a), float(b)) for k, (a, b) in points.items()}, title, across, up
    )


class Against(Picture):
    """What `against` returns: a PNG of points beside a line, and the same as text."""

    size = (6.4, 3.4)

    def __init__(self, points, title, across, up):
        self.points, self.title, self.across, self.up = points, title, across, up

    def __repr__(self):
        wide = max(map(len, self.points))
        lines = [self.title] if self.title else []
        for label, (expected, measured) in self.points.items():
            times = max(expected / measured, measured / expected)
            near = f"within a factor of {NEAR}" if times < NEAR else f"over {NEAR} times apart"
            lines.append(f"{label:{wide}}  {self.across} {expected:.0e}  {self.up} {near}")
        return "\n".join(lines)

    def draw(self, figure):
        axes = figure.subplots()
        ends = [f(v for pair in self.points.values() for v in pair) for f in (min, max)]
        axes.plot(ends, ends, "--", color=INK, linewidth=1)
        for place, (label, pair) in enumerate(sorted(self.points.items(), key=lambda one: one[1])):
            axes.plot(*pair, "o", color=LINES[1][0])
            axes.annotate(label, pair, **SIDES[place % 2], textcoords="offset points", color=INK)
        axes.set(xscale="log", yscale="log")
        axes.set_xlabel(self.across)
        axes.set_ylabel(self.up)
        titled(axes, self.title)
        axes.margins(0.3, 0.15)  # room for a label on either side
        _flat(axes)


def said(error):
    """An error as people say it."""
    return f"{_plain(100 * error)} %"


def _plain(number):
    """Two digits, without an exponent."""
    if number == 0 or number >= 100:
        return f"{number:.0f}"
    return f"{number:.{1 - math.floor(math.log10(number))}f}"


def _flat(axes):
    """Quiet, and a name beside each row instead of a mark."""
    quiet(axes)
    axes.tick_params(axis="y", length=0)


def _write(axes, x, y, text):
    axes.annotate(text, (x, y), (4, 0), textcoords="offset points", va="center", color=INK)
