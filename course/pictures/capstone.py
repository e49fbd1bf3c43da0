"""Small pictures that the capstone needs: a row of digits, and lines of losses over steps.

Each says in text what it shows. Takes plain numbers.
"""

from __future__ import annotations

from course.pictures.style import INK, LINES, quiet, titled
from whoholds.figure import Picture

SHADES = " .:-=+*#%@"


class images(Picture):
    """A row of square images, given as flat rows of numbers from -1 to 1."""

    size = (8.0, 1.2)

    def __init__(self, rows, labels):
        self.rows = [[float(v) for v in row] for row in rows]
        self.labels = [str(label) for label in labels]
        self.side = int(len(self.rows[0]) ** 0.5)

    def lines(self, row):
        shades = "".join(SHADES[round((v + 1) / 2 * (len(SHADES) - 1))] for v in row)
        return [shades[i : i + self.side] for i in range(0, len(shades), self.side)]

    def __repr__(self):
        drawn = zip(*map(self.lines, self.rows), strict=True)
        text = ["   ".join(label.ljust(self.side) for label in self.labels)]
        return "\n".join(line.rstrip() for line in (*text, *map("   ".join, drawn)))

    def draw(self, figure) -> None:
        axes = figure.subplots(1, len(self.rows))
        for axis, row, label in zip(axes, self.rows, self.labels, strict=True):
            square = [row[i : i + self.side] for i in range(0, len(row), self.side)]
            axis.imshow(square, cmap="gray_r", vmin=-1, vmax=1)
            axis.set_title(label, color=INK, fontsize=11)
            axis.axis("off")


class losses(Picture):
    """{name: losses} over the steps of a training, on a logarithmic axis."""

    def __init__(self, series, title=""):
        self.series = {name: [float(v) for v in values] for name, values in series.items()}
        self.title = title

    def __repr__(self):
        rows = [self.title] if self.title else []
        for name, values in self.series.items():
            first, last = (f"~{v:.2g} measured" for v in (values[0], values[-1]))
            rows.append(f"{name}: loss {first} at first, {last} after {len(values)} steps")
        return "\n".join(rows)

    def draw(self, figure) -> None:
        axes = figure.subplots()
        for (name, values), (colour, dashes, _) in zip(self.series.items(), LINES, strict=False):
            axes.plot(values, color=colour, linestyle=dashes, linewidth=1.8, label=name)
        axes.set_yscale("log")
        titled(axes, self.title)
        axes.set_xlabel("step")
        axes.set_ylabel("loss")
        axes.legend(frameon=False, labelcolor=INK)
        quiet(axes, grid="y")


class scaling(Picture):
    """{name: {count: bytes}}: how memory grows with a count, such as depth; both axes are true."""

    def __init__(self, series, title="", across="", unit=None):
        self.series = {
            name: {int(count): int(n) for count, n in points.items()}
            for name, points in series.items()
        }
        self.title, self.across, self.unit = title, across, unit

    def __repr__(self):
        rows = [self.title] if self.title else []
        for name, points in self.series.items():
            rows += [f"{name}, {count} {self.across}: {n:,} B" for count, n in points.items()]
        return "\n".join(rows)

    def draw(self, figure) -> None:
        axes = figure.subplots()
        for (name, points), look in zip(self.series.items(), LINES, strict=False):
            self._line(axes, name, points, *look)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        titled(axes, self.title)
        axes.set_xlabel(self.across)
        axes.set_ylabel(f"bytes, in U of {self.unit:,} B" if self.unit else "bytes")
        quiet(axes, grid="both")

    def _line(self, axes, name, points, colour, dashes, mark):
        values = [n / (self.unit or 1) for n in points.values()]
        axes.plot(list(points), values, mark + dashes, color=colour, linewidth=1.8, markersize=5)
        end = (list(points)[-1], values[-1])
        axes.annotate(name, end, (-8, 6), textcoords="offset points", color=colour, ha="right")
