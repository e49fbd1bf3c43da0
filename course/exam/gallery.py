"""Curves side by side, each with a number and a scale, and with nothing that gives it away.

Takes plain numbers; the text says what the picture says. Refuses to know whose curves they are.
"""

from course.pictures.style import INK, LINES, quiet
from whoholds.figure import Picture

KIB = 1024
COLUMNS = 2


class Gallery(Picture):
    """{name: [(label, bytes), ...]}, shown as a PNG where pictures are shown, else as text."""

    def __init__(self, curves):
        self.curves = {name: [n / KIB for _, n in points] for name, points in curves.items()}
        self.rows = -(-len(self.curves) // COLUMNS)
        self.size = (8, 1.9 * self.rows)

    def __repr__(self):
        rows = (
            f"{name}: {' '.join(f'{n:.3g}' for n in values)}"
            for name, values in self.curves.items()
        )
        return "\n".join(["KiB alive, from moment to moment", *rows])

    def draw(self, figure):
        places = figure.subplots(self.rows, COLUMNS, squeeze=False).flat
        for axes, (name, values) in zip(places, self.curves.items(), strict=False):
            _draw(axes, name, values)


def _draw(axes, name, values):
    from matplotlib.ticker import MaxNLocator

    colour = LINES[0][0]
    axes.stairs(values, baseline=None, color=colour, linewidth=1.8)
    axes.stairs(values, color=colour, fill=True, alpha=0.14, linewidth=0)
    axes.set_title(name, color=INK, loc="left", fontsize=12, fontweight="bold")
    axes.set_xticks([])
    axes.set_ylim(0, 1.08 * max(values))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.set_ylabel("KiB")
    quiet(axes, grid="y")
