"""A curve says the same in text and in picture, in both themes, and holds plain numbers only."""

import subprocess
import sys

import pytest

from course.pictures.curve import curve
from course.pictures.style import INK, LINES

STEPS = [("x", 0), ("tanh 1", 4096), ("end", 8192)]


def test_the_text_is_exact_and_stable():
    assert repr(curve(STEPS, title="Two steps", unit=8192)) == (
        f"Two steps\nx           0 B\ntanh 1  4,096 B  {'#' * 20}\nend     8,192 B  {'#' * 40}"
    )


def test_several_series_are_named_and_share_one_scale():
    text = repr(curve({"kept": [("a", 100)], "freed": [("a", 50), ("b", 0)]}))
    assert text == f"kept:\na  100 B  {'#' * 40}\nfreed:\na   50 B  {'#' * 20}\nb    0 B"


def test_nothing_but_zeros_has_no_bars():
    assert repr(curve([("a", 0), ("b", 0)])) == "a  0 B\nb  0 B"


def test_what_a_curve_holds_are_plain_numbers():
    numpy = pytest.importorskip("numpy")
    shown = curve([(1, numpy.int64(7))])
    assert shown.series == {"": [("1", 7)]} and type(shown.series[""][0][1]) is int


@pytest.mark.parametrize("points", [[], {}, {"a": []}])
def test_an_empty_curve_says_what_it_needs(points):
    with pytest.raises(ValueError, match="at least one"):
        curve(points)


def test_too_many_series_are_refused():
    with pytest.raises(ValueError, match="at most 4 series"):
        curve({str(i): STEPS for i in range(5)})


def pixels(shown):
    image = pytest.importorskip("matplotlib.image")
    import io

    return image.imread(io.BytesIO(shown._repr_png_()))


def test_the_picture_has_no_background_of_its_own():
    rgba = pixels(curve(STEPS, title="t", unit=8192))
    assert rgba.shape[2] == 4 and rgba[0, 0, 3] == 0 and (rgba[..., 3] == 0).mean() > 0.8


def test_two_pictures_of_one_curve_are_the_same_bytes():
    pytest.importorskip("matplotlib")
    assert curve(STEPS)._repr_png_() == curve(STEPS)._repr_png_() != curve(STEPS[:2])._repr_png_()


def ticks(points, **more):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    curve(points, **more).draw(figure)
    return [text.get_text() for text in figure.axes[0].get_yticklabels()]


def test_the_axis_has_the_bytes_that_were_there_written_as_in_the_text():
    assert ticks([("a", 8192), ("b", 28_676), ("c", 8192)]) == ["0", "8,192", "28,676"]


def test_of_many_or_very_near_bytes_not_each_is_on_the_axis():
    for points in [(i, 1000 * i) for i in range(20)], [("a", 50_000), ("b", 50_004), ("c", 4)]:
        found = ticks(points)
        assert "50,004" not in found and len(found) < 12 and "10,000" in found


def test_in_units_the_axis_counts_units():
    assert "8,192" not in ticks([("a", 8192), ("b", 16384)], unit=8192)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [INK, *(line[0] for line in LINES)])
def test_every_colour_stands_out_on_white_and_on_black(colour):
    for ground in ("#ffffff", "#111111"):
        low, high = sorted((luminance(colour), luminance(ground)))
        assert (high + 0.05) / (low + 0.05) >= 3, (colour, ground)


def test_series_differ_by_more_than_colour():
    assert len({line[1] for line in LINES}) == len({line[2] for line in LINES}) == len(LINES)


def test_names_of_series_with_equal_peaks_do_not_cover_each_other():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    curve({"one": STEPS, "two": STEPS}).draw(figure)
    one, two = figure.axes[0].texts
    assert [one.get_text(), two.get_text()] == ["one", "two"]
    assert two.get_position()[1] - one.get_position()[1] >= 10


def test_matplotlib_waits_until_a_picture_is_asked_for():
    code = (
        "import sys; from course.pictures.curve import curve; repr(curve([('a', 1)]));"
        "assert 'matplotlib' not in sys.modules; sys.modules['matplotlib'] = None;"
        "assert curve([('a', 1)])._repr_png_() is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
