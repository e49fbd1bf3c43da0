"""A view that begins at a step tells of that step; what ended a program is told to its end."""

import io

import pytest
from PIL import Image, ImageColor

import minigrad as mg
import whoholds
from tests.whoholds.test_views_traces import second_backward
from whoholds.step.magic import step
from whoholds.views import show
from whoholds.views.drawing import DPI
from whoholds.views.look import LOOK, size_text
from whoholds.views.picture import PLOT, picture
from whoholds.views.telling import failed, opening
from whoholds.views.text import text


def test_text_and_picture_tell_of_the_step_that_is_asked_for():
    trace = second_backward()
    assert "error" in repr(show(trace))
    view = show(trace, step=9)
    assert view.step == 9 and view.picture() == picture({"": trace}, step=9) != picture({"": trace})
    *table, peak, last = repr(view).splitlines()
    assert last == f"step 9 of {len(trace)}: {opening(trace, 9)}" and peak.startswith("peak ")
    assert table == text(trace, 9).splitlines()[:-2]
    assert len(table) < len(repr(show(trace)).split("\n"))
    assert repr(show(trace, step=0)).endswith(f"step 0 of {len(trace)}: before the first step")
    assert show(trace, step=0).picture() == picture({"": trace}, step=0)


SECOND = "import torch\nw = torch.ones(4, requires_grad=True)\ny = w.exp().sum()\ny.backward()\n"


def test_what_ended_it_is_known_to_its_last_step():
    trace = step(SECOND + "y.backward()\n")
    at = failed(trace.events)
    assert trace.events[at]["kind"] == "error" and trace.events[-1]["kind"] != "error"
    assert picture({"": trace}, step=len(trace)) != picture({"": trace}, step=at + 1)
    with_error, without = step(SECOND + "y.backward()\n"), trace
    without.events[at]["text"] = "another"
    last = dict(step=len(trace))
    assert picture({"": with_error}, **last) != picture({"": without}, **last)
    caught = step(SECOND + "try:\n    y.backward()\nexcept RuntimeError:\n    z = w * 2\n")
    assert caught.error and failed(caught.events) == len(caught)


@pytest.mark.parametrize("size", ["9,999 B", "704,123 B", "8,888,888 B"])
def test_a_picture_has_room_beside_the_labels_of_its_plot(size):
    image = pytest.importorskip("PIL.Image")
    trace = of_bytes(int(size.split()[0].replace(",", "")))
    assert size_text(trace.peak) == size
    with image.open(io.BytesIO(picture({"": trace}))) as page:
        edge = page.convert("L").crop((0, 0, 6, 300))  # as far down as the plot
    assert edge.getextrema() == (255, 255)


def of_bytes(size):
    with whoholds.record() as trace:
        mg.zeros(size, dtype=mg.bool)
    return trace


def test_the_plot_of_a_picture_has_the_colours_of_the_bytes_it_tells_of():
    """And no others; the names of the categories are below it."""
    trace = second_backward()
    page = Image.open(io.BytesIO(picture({"": trace}))).convert("RGB")
    plot = page.crop((0, 0, page.width, PLOT * DPI // 100))
    found = [colour for _, colour in plot.getcolors(plot.width * plot.height)]
    for category, (label, colour, _) in enumerate(LOOK):
        wanted = ImageColor.getrgb(colour)
        near = any(max(abs(a - b) for a, b in zip(one, wanted, strict=True)) < 9 for one in found)
        assert near == any(event["bytes"][category] for event in trace.events), label
