"""Wrongness is a number anybody can redo; its bars say the same as a picture and as text."""

import itertools
import math

import pytest
from matplotlib.figure import Figure

from course.build.normal import stable
from course.pictures.wrong import against, bars, verdict, wrongness


class Row:
    """As much of a tensor as wrongness() needs."""

    def __init__(self, *values):
        self.values = list(values)

    def detach(self):
        return self

    def reshape(self, _):
        return self

    def tolist(self):
        return self.values


def test_wrongness_is_the_relative_error_of_the_worst_tensor():
    assert wrongness([Row(3.0, 4.0)], [Row(3.0, 4.0)]) == 0.0
    assert wrongness([Row(0.0, 0.0)], [Row(3.0, 4.0)]) == 1.0
    assert wrongness([Row(1.0), Row(3.0)], [Row(1.0), Row(2.0)]) == 0.5


def test_wrongness_of_a_gradient_that_should_be_zero_is_its_own_size():
    assert wrongness([Row(0.0)], [Row(0.0)]) == 0.0
    assert wrongness([Row(2.0)], [Row(0.0)]) == 2.0


def test_a_list_that_lacks_a_gradient_is_refused():
    with pytest.raises(ValueError, match="1 gradients against 2; give"):
        wrongness([Row(1.0)], [Row(1.0), Row(2.0)])


def test_verdicts():
    assert [verdict(e) for e in (0.0, 9e-5, 2e-4, 9e-3, 0.02, 5.0)] == [
        "right", "right", "off", "off", "WRONG", "WRONG",
    ]  # fmt: skip


def test_not_a_number_is_infinitely_wrong():
    assert wrongness([Row(1.0), Row(float("nan"))], [Row(1.0), Row(1.0)]) == float("inf")


ROWS = {"stored": (8192, 0.0), "reversible": (2048, 0.512)}


def test_the_text_claims_bytes_and_a_verdict_and_leaves_the_digits_out_of_comparison():
    text = repr(bars(ROWS, "Title", unit=1024))
    assert text.splitlines()[0] == "Title"
    assert "8.0 U ####################  right" in text and "2.0 U #####  " in text
    assert "WRONG  off by ~0.51 measured" in text
    other = repr(bars({**ROWS, "reversible": (2048, 0.498)}, "Title", unit=1024))
    assert stable(text) == stable(other)


def test_without_a_unit_the_text_counts_bytes():
    assert "8192 B" in repr(bars(ROWS))


@pytest.mark.parametrize("error", [0.0, 1e-12, 0.5, 1e9, float("inf")])
def test_the_picture_stands_any_error(error):
    picture = bars({"a": (0, error), "b": (10, 0.0)})._repr_png_()
    assert picture.startswith(b"\x89PNG")


def test_only_what_is_not_right_is_hatched():
    axes = Figure().subplots()
    bars({"fine": (1, 5e-5), "off": (1, 2e-4)})._draw_wrong(axes)
    assert [bool(bar.get_hatch()) for bar in axes.patches] == [False, True]


def test_points_beside_a_line():
    shown = against({"4 blocks": (1e-6, 2e-6), "16 blocks": (1e-3, 0.5)}, "Rule", "eps", "error")
    text = repr(shown).splitlines()
    assert text[0] == "Rule" and "within" in text[1] and "times apart" in text[2]
    assert shown._repr_png_().startswith(b"\x89PNG")


POINTS = {  # lesson 12's: two of them lie side by side
    "2 blocks": (4.2e-7, 3.1e-7),
    "4 blocks": (1.9e-6, 1.8e-6),
    "8 blocks": (3.7e-5, 3.9e-5),
    "12 blocks": (5.1e-4, 9.8e-4),
    "16 blocks": (0.23, 0.16),
    "16, nn.Linear": (1.7e-7, 2.9e-7),
}


def test_no_label_is_printed_over_another_or_beside_another_point():
    shown = against(POINTS, "The error", "eps x g x g", "measured")
    figure = Figure(figsize=shown.size, layout="constrained")
    shown.draw(figure)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = {label.get_text(): label.get_window_extent() for label in axes.texts}
    places = {name: axes.transData.transform(pair) for name, pair in POINTS.items()}
    for one, other in itertools.permutations(boxes, 2):
        assert not boxes[one].overlaps(boxes[other]), (one, other)
        assert apart(boxes[one], places[one]) < apart(boxes[one], places[other]), (one, other)
        assert axes.bbox.x0 <= boxes[one].x0 and boxes[one].x1 <= figure.bbox.x1


def apart(box, place):
    """How far a label ends from a point."""
    (x, y), (left, low), (right, high) = place, box.min, box.max
    return math.hypot(max(left - x, x - right, 0), max(low - y, y - high, 0))


@pytest.mark.parametrize("draw", [bars, against])
def test_nothing_to_draw(draw):
    with pytest.raises(ValueError, match="at least one"):
        draw({})
