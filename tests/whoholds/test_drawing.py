"""The page that pictures are drawn on, with the fonts of matplotlib and without its code."""

import io
import math
import subprocess
import sys
from itertools import pairwise

import pytest
from PIL import Image

from whoholds.views import drawing
from whoholds.views.drawing import PAPER, Page, cubic, dashed, png, rounded, tile, wide_of
from whoholds.views.picture import TICKS, tick

SHOWN = """
import sys
from whoholds.step import step
from whoholds.views.widget import show
trace = step("import torch\\nw = torch.ones(4, requires_grad=True)\\nw.exp().sum().backward()\\n")
data, _ = show(trace)._repr_mimebundle_()
print("image/png" in data, "matplotlib" in sys.modules)
"""


def test_a_view_has_its_picture_without_matplotlib_being_imported():
    """That takes longer than all else which the first `%%step` of a session does."""
    done = subprocess.run([sys.executable, "-c", SHOWN], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_without_fonts_there_is_no_picture(monkeypatch):
    drawing.fonts.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="fonts of a picture come with matplotlib"):
        drawing.fonts()


@pytest.mark.parametrize("points", [[(0, 0), (30, 0)], [(0, 0), (3, 4), (3, 40), (-20, 40)]])
def test_dashes_and_gaps_have_their_lengths(points):
    pieces = dashed(points, [5, 2])
    long = [sum(math.dist(a, b) for a, b in pairwise(piece)) for piece in pieces]
    assert long[:-1] == pytest.approx([5] * (len(long) - 1)) and long[-1] < 5 + 1e-9
    whole = sum(math.dist(a, b) for a, b in pairwise(points))
    assert sum(long) + 2 * (len(long) - 1) <= whole + 1e-9
    assert pieces[0][0] == points[0]
    gaps = [math.dist(a[-1], b[0]) for a, b in pairwise(pieces)]
    assert all(gap <= 2 + 1e-9 for gap in gaps) and gaps[0] == pytest.approx(2)


def test_a_curve_begins_and_ends_at_its_points():
    points = [(0, 0), (10, 0), (0, 20), (10, 20)]
    assert cubic(points, 0) == (0, 0) and cubic(points, 1) == (10, 20)
    assert cubic(points, 0.5) == (5, 10)


def test_round_corners_stay_within_their_box():
    outline = rounded(10, 20, 40, 15)
    xs, ys = zip(*outline, strict=True)
    ends = min(xs), max(xs), min(ys), max(ys)
    assert ends == pytest.approx((10, 50, 20, 35))
    assert all(math.dist(p, corner) > 1 for p in outline for corner in [(10, 20), (50, 35)])


def pixels(page):
    return page.image().convert("RGB").load()


def test_what_comes_later_lies_on_top_and_pixels_are_those_of_the_page():
    page = Page(40, 40)
    page.box(0, 0, 40, 40, "#000000")
    page.box(10, 10, 20, 20, "#3f80c8")
    seen = pixels(page)
    assert page.image().size == (60, 60)
    assert seen[5, 5] == (0, 0, 0) and seen[30, 30] == (0x3F, 0x80, 0xC8)


def test_an_arrow_has_its_head_at_its_end():
    page = Page(60, 20)
    page.arrow([(0, 10), (20, 10), (40, 10), (60, 10)], "#000000")
    dark = [sum(v < 128 for v in column) for column in columns(page)]
    assert 2 * max(dark[:60]) < max(dark[80:85])  # where the head begins
    assert max(dark[85:]) < max(dark[80:85]) and dark[88] > 0


def columns(page):
    image = page.image().convert("L")
    return [[image.getpixel((x, y)) for y in range(image.height)] for x in range(image.width)]


@pytest.mark.parametrize("mark", ["dots", "lines", "hatch", "back", "cross"])
def test_marks_are_white_and_go_on_in_the_next_box(mark):
    """Two boxes side by side look like one."""
    both, one = Page(48, 24), Page(48, 24)
    one.box(0, 0, 48, 24, "#3f80c8", mark)
    both.box(0, 0, 20, 24, "#3f80c8", mark)
    both.box(20, 0, 28, 24, "#3f80c8", mark)
    assert both.image().tobytes() == one.image().tobytes()
    plain = Page(48, 24)
    plain.box(0, 0, 48, 24, "#3f80c8")
    assert one.image().tobytes() != plain.image().tobytes()
    assert sum(tile(mark).histogram()[1:]) > 0


def test_a_png_keeps_the_colours_of_whole_areas():
    page = Page(100, 60)
    page.box(0, 0, 50, 60, "#f3f3f3")
    page.text(5, 30, "words of many greys")
    page.line([(0, 0), (100, 60)], "#1976d2", 3)
    with Image.open(io.BytesIO(png(page.image()))) as found:
        assert found.mode == "P"
        seen = found.convert("RGB").load()
    assert seen[140, 20] == (255, 255, 255) and seen[3, 80] == (0xF3, 0xF3, 0xF3)


def test_words_are_as_wide_as_they_are_drawn():
    page = Page(300, 40)
    page.text(10, 30, "parameter", size=30)
    xs = [x for x, column in enumerate(columns(page)) if min(column) < 200]
    assert (xs[-1] - 15) / 1.5 == pytest.approx(30 * wide_of("parameter"), abs=3)
    assert PAPER == "#ffffff"


@pytest.mark.parametrize("most", [1, 7, 34, 81, 900, 12345])
def test_the_numbers_below_a_plot_are_few_and_round(most):
    apart = tick(most)
    assert most // apart <= TICKS and str(apart).rstrip("0") in ("1", "2", "5")
    assert apart == 1 or most / apart > TICKS / 3
