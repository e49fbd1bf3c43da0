"""A white page to draw on, in pixels from its upper left corner, that becomes a PNG.

Pillow draws it three times as large, and halving smooths every edge. It is there at once, where
matplotlib takes longer to import than all else that a first picture needs. Of matplotlib only the
fonts are taken, and its code is not run.
"""

from __future__ import annotations

import io
import math
import os
from functools import lru_cache
from importlib.util import find_spec
from itertools import cycle, pairwise, product

from PIL import Image, ImageChops, ImageDraw, ImageFont

INK, SOFT, PAPER, ACCENT, RED = "#212121", "#616161", "#ffffff", "#1976d2", "#d32f2f"
SCALE, SMALLER = 3, 2  # drawn for each pixel of a page; of these, what becomes one of the PNG
DPI = 100 * SCALE // SMALLER  # of the PNG, where a page has 100
COLOURS, ALIKE = 64, 4  # of a PNG; Pillow takes what differs by less for one
SAMPLE = 4  # of the pixels that are asked for colours: one of 4 x 4
FACES = {"": "Sans", "bold": "Sans-Bold", "italic": "Sans-Oblique", "mono": "SansMono"}
SIDES = {"left": "ls", "middle": "ms", "right": "rs"}
DASHES = {"--": (3.7, 1.6), ":": (1.0, 1.65)}  # a dash and a gap, in widths of the line
ROUND = 3.0  # radius of a card's corners
HEAD, BROAD = 4.8, 2.2  # of an arrow: length, and half of its width
STEPS = 24  # straight pieces of a curve
MARK, FAINT = 12, 180  # pixels from a mark to the next; how white they are, of 255
DOT = 1.3 * SCALE  # radius of a mark that is one
FONTS = os.path.join("mpl-data", "fonts", "ttf")
NO_FONTS = "the fonts of a picture come with matplotlib, which is not installed"


class Page:
    """Shapes and words, each on top of those before it."""

    def __init__(self, width, height):
        self.paper = Image.new("RGB", (round(width * SCALE), round(height * SCALE)), PAPER)
        self.pen = ImageDraw.Draw(self.paper)

    def text(self, x, y, text, colour=INK, size=11.0, face="", side="left") -> None:
        """Text of `size` pixels, its foot at y; x is this side of it."""
        self.pen.text((x * SCALE, y * SCALE), text, colour, font(face, size * SCALE), SIDES[side])

    def line(self, points, colour=INK, width=1.0, style="-") -> None:
        lengths = [part * width for part in DASHES.get(style, ())]
        for piece in dashed(points, lengths) if lengths else [points]:
            self.pen.line(_scaled(piece), colour, max(1, round(width * SCALE)), joint="curve")

    def area(self, points, colour, mark="") -> None:
        """A filled shape; a mark of the LOOK lies on it in white."""
        self.pen.polygon(_scaled(points), colour)
        if mark:
            self._mark(_scaled(points), mark)

    def box(self, x, y, w, h, colour, mark="") -> None:
        if w > 0 and h > 0:
            self.area([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], colour, mark)

    def card(self, x, y, w, h, colour, edge, width=1.0, style="-") -> None:
        """A box with round corners and an edge."""
        outline = rounded(x, y, w, h)
        self.area(outline, colour)
        self.line([*outline, *outline[:2]], edge, width, style)

    def arrow(self, points, colour=INK, width=1.0, style="-") -> None:
        """A cubic curve of four points, with a head at its end."""
        *curve, tip = [cubic(points, i / STEPS) for i in range(STEPS + 1)]
        curve = [point for point in curve if math.dist(point, tip) > HEAD] or curve[:1]
        far = math.dist(curve[-1], tip) or 1.0
        x, y = (tip[0] - curve[-1][0]) / far, (tip[1] - curve[-1][1]) / far
        a, b = tip[0] - HEAD * x, tip[1] - HEAD * y
        self.line([*curve, (a, b)], colour, width, style)
        self.area([tip, (a - BROAD * y, b + BROAD * x), (a + BROAD * y, b - BROAD * x)], colour)

    def dot(self, x, y, radius, colour=PAPER, edge=INK) -> None:
        ends = _scaled([(x - radius, y - radius), (x + radius, y + radius)])
        self.pen.ellipse(ends, colour, edge, SCALE)

    def _mark(self, points, mark):
        xs, ys = zip(*points, strict=True)
        left, top = math.floor(min(xs)), math.floor(min(ys))
        size = math.ceil(max(xs)) - left + 1, math.ceil(max(ys)) - top + 1
        inside, marks, one = Image.new("L", size), Image.new("L", size), tile(mark)
        ImageDraw.Draw(inside).polygon([(x - left, y - top) for x, y in points], FAINT)
        for x in range(-(left % one.width), size[0], one.width):
            for y in range(-(top % one.height), size[1], one.height):
                marks.paste(one, (x, y))
        self.paper.paste(PAPER, (left, top), ImageChops.multiply(inside, marks))

    def image(self) -> Image.Image:
        return self.paper.reduce(SMALLER)


def png(image) -> bytes:
    """A PNG of few colours: a third of the bytes, for they are committed."""
    few, file = Image.new("P", (1, 1)), io.BytesIO()
    few.putpalette([part for colour in palette(image) for part in colour])
    image.quantize(palette=few, dither=Image.Dither.NONE).save(file, format="png")
    return file.getvalue()


def palette(image) -> list:
    """The commonest colours, as they were drawn: Pillow's own ways take longer, or mix them."""
    few = image.resize((image.width // SAMPLE, image.height // SAMPLE), Image.Resampling.NEAREST)
    found: list = []
    near: set = set()
    for _, colour in sorted(few.getcolors(few.width * few.height), reverse=True):
        r, g, b = (part // ALIKE for part in colour)
        if (r, g, b) not in near:
            found.append(colour)
            near |= {*product((r - 1, r, r + 1), (g - 1, g, g + 1), (b - 1, b, b + 1))}
    return found[:COLOURS]


@lru_cache(maxsize=1)
def fonts() -> str:
    """The folder of matplotlib's fonts, which is found without importing it."""
    found = find_spec("matplotlib")
    if found is None or not found.submodule_search_locations:
        raise ImportError(NO_FONTS)
    return os.path.join(found.submodule_search_locations[0], FONTS)


@lru_cache(maxsize=64)
def font(face, size):
    path = os.path.join(fonts(), f"DejaVu{FACES[face]}.ttf")
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=1000)
def wide_of(text) -> float:
    """How wide a text is, by its size."""
    return font("", 100).getlength(text) / 100


@lru_cache(maxsize=8)
def tile(mark):
    """One of a pattern's marks, white on black, whose neighbours go on with it."""
    step = MARK * SCALE
    one = Image.new("L", (step, step))
    pen = ImageDraw.Draw(one)
    if mark == "dots":
        for at in (step / 4, 3 * step / 4):
            pen.ellipse((at - DOT, at - DOT, at + DOT, at + DOT), 255)
    if mark == "lines":
        pen.line([(0, step / 2), (step, step / 2)], 255, SCALE)
    for by in (-step, 0, step):
        if mark in ("hatch", "cross"):
            pen.line([(by - step, 2 * step), (by + 2 * step, -step)], 255, SCALE)
        if mark in ("back", "cross"):
            pen.line([(by - step, -step), (by + 2 * step, 2 * step)], 255, SCALE)
    return one


def _scaled(points) -> list:
    return [(x * SCALE, y * SCALE) for x, y in points]


def cubic(points, t) -> tuple:
    """The point of a cubic curve at t, from 0 to 1."""
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return tuple(a * p + b * q + c * r + d * s for p, q, r, s in zip(*points, strict=True))


def rounded(x, y, w, h) -> list:
    """The outline of a box with round corners."""
    found = []
    for turn, (a, b) in enumerate(
        [(x + w - ROUND, y + ROUND), (x + w - ROUND, y + h - ROUND),
         (x + ROUND, y + h - ROUND), (x + ROUND, y + ROUND)]
    ):  # fmt: skip
        angles = [math.pi / 2 * (turn - 1 + part / 4) for part in range(5)]
        found += [(a + ROUND * math.cos(t), b + ROUND * math.sin(t)) for t in angles]
    return found


def dashed(points, lengths) -> list:
    """The pieces of a line that are drawn, where dash and gap are so long."""
    pieces, left, drawing = [[points[0]]], lengths[0], True
    turns = cycle((False, True))
    sizes = cycle(lengths[1:] + lengths[:1])
    for (a, b), (c, d) in pairwise(points):
        whole, gone = math.dist((a, b), (c, d)), 0.0
        while whole - gone > left:
            gone += left
            at = a + (c - a) * gone / whole, b + (d - b) * gone / whole
            if drawing:
                pieces[-1].append(at)
            left, drawing = next(sizes), next(turns)
            if drawing:
                pieces.append([at])
        left -= whole - gone
        if drawing:
            pieces[-1].append((c, d))
    return pieces
