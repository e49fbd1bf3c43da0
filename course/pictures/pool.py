"""A picture of a GPU's pool: its segments as bars, cut into blocks that are used or kept.

A moment is plain numbers, so that looking keeps no tensor alive. A real card tells two sums only,
and is drawn as one bar. Each picture names the GPU, and says so if that is simulated.
"""

from __future__ import annotations

from dataclasses import dataclass

from course.pictures.style import INK, LINES, titled
from minigrad import cuda, gpu
from minigrad.gpu.pool import readable
from whoholds.figure import Picture

WIDE = 48  # characters of the longest row in the text
GAP = 0.012  # between two segments, as a share of the longest row
SIGNS = {True: "#", False: "."}  # of a block that is used, and of one that is kept


@dataclass
class Moment:
    """What a pool held when somebody looked; a segment is a list of (bytes, in use)."""

    label: str
    name: str
    segments: list

    def sums(self):
        """Bytes in use, and bytes held."""
        blocks = [block for segment in self.segments for block in segment]
        return sum(size for size, used in blocks if used), sum(size for size, _ in blocks)

    def says(self):
        used, reserved = self.sums()
        return f"{readable(used)} used, {readable(reserved)} reserved"


def table(title):
    """Print the head of a table, and the GPU that it is of; what nobody uses leaves the pool."""
    cuda.empty_cache()
    print(f"{title}, on a {cuda.get_device_name()}")


def look(label):
    """The pool of the GPU in use, as it is now."""
    card = gpu.current()
    if card is None:
        raise RuntimeError("there is no GPU to look at; work inside minigrad.cuda.simulate(bytes)")
    if card.simulated:
        return Moment(label, card.name, card.pool.segments())
    used, reserved = card.used(), card.reserved()
    return Moment(label, card.name, [[(used, True), (reserved - used, False)]])


class pool_picture(Picture):
    """The moments below each other, on one scale of bytes."""

    def __init__(self, moments):
        self.moments = list(moments)
        names = sorted({moment.name for moment in self.moments})
        self.title = f"{', '.join(names)}: the segments of its pool"
        self.longest = max(moment.sums()[1] for moment in self.moments) or 1
        self.size = (8, 0.8 + 0.72 * len(self.moments))

    def __repr__(self):
        rows = [f"{self.title} (# in use, . kept)"]
        for moment in self.moments:
            bars = "".join(f"[{''.join(map(self._signs, row))}]" for row in moment.segments)
            rows.append(f"{moment.label}: {moment.says()}\n  {bars or 'no segment'}")
        return "\n".join(rows)

    def _signs(self, block):
        size, used = block
        return SIGNS[used] * max(1, round(WIDE * size / self.longest)) if size else ""

    def draw(self, figure) -> None:
        axes = figure.subplots()
        for row, moment in enumerate(self.moments):
            self._bars(axes, row, moment)
            axes.text(0, row - 0.34, moment.label, color=INK, fontsize=10)
            axes.text(1, row - 0.34, moment.says(), color=INK, fontsize=10, ha="right")
        axes.set_xlim(-0.01, 1.02)
        axes.set_ylim(len(self.moments) - 0.5, -0.7)
        titled(axes, f"{self.title} (blue: in use, hatched: kept)")
        axes.axis("off")

    def _bars(self, axes, row, moment):
        most = max(len(moment.segments) for moment in self.moments)
        scale, left = (1 - GAP * (most - 1)) / self.longest, 0.0
        for segment in moment.segments:
            for size, used in segment:
                look = {"color": LINES[0][0]} if used else {"color": "none", "hatch": "////"}
                edge = {"edgecolor": INK, "linewidth": 0.8, "height": 0.42, "align": "center"}
                axes.barh(row, size * scale, left=left, **{**look, **edge})
                left += size * scale
            left += GAP
        if not moment.segments:
            axes.text(0, row + 0.1, "no segment: the pool holds nothing", color=INK, fontsize=9)
