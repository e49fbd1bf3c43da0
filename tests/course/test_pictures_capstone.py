"""The progress bar and the capstone's pictures: what they say in text, and that they draw."""

from types import SimpleNamespace

from course.pictures.bar import Bar, bar
from course.pictures.capstone import images, losses, scaling


def test_a_bar_hands_on_every_item_and_draws_nothing_without_a_notebook(capsys):
    assert list(bar(iter("abc"), 3, "letters")) == ["a", "b", "c"]
    assert capsys.readouterr().out == ""


def test_a_bar_says_how_far_it_is():
    assert repr(Bar("letters", 1, 3, 4.2)) == "letters: 1 of 3, about 4 s to go"
    assert repr(Bar("letters", 3, 3, None)) == "letters: 3 of 3"
    page = Bar("<b>", 1, 3, None)._repr_html_()
    assert 'value="1" max="3"' in page and "&lt;b&gt;" in page


def test_images_as_text_and_as_a_picture():
    picture = images([[-1, 1, 1, -1], [1, 1, 1, 1]], [7, 8])
    assert repr(picture) == "7    8\n @   @@\n@    @@"
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_losses_as_text_and_as_a_picture():
    picture = losses({"one": [2.0, 0.5], "other": [1.0, 0.25]}, title="Training")
    assert repr(picture).splitlines() == [
        "Training",
        "one: loss ~2 measured at first, ~0.5 measured after 2 steps",
        "other: loss ~1 measured at first, ~0.25 measured after 2 steps",
    ]
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_a_line_is_straight_where_memory_is_proportional():
    """Counts that double are not evenly spaced, or a straight line would look as if it exploded."""
    from matplotlib.figure import Figure

    picture = scaling({"one": {8: 800, 16: 1600, 64: 6400}}, "Sizes", across="blocks", unit=100)
    assert repr(picture).splitlines() == [
        "Sizes", "one, 8 blocks: 800 B", "one, 16 blocks: 1,600 B", "one, 64 blocks: 6,400 B",
    ]  # fmt: skip
    figure = Figure()
    picture.draw(figure)
    (axes,) = figure.axes
    (line,) = axes.lines
    points = [tuple(map(float, point)) for point in line.get_xydata()]
    assert points == [(8, 8), (16, 16), (64, 64)]
    assert axes.get_xscale() == axes.get_yscale() == "linear"
    assert axes.get_xlim()[0] == axes.get_ylim()[0] == 0
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_where_nobody_watches_the_bar_is_shown_once_and_at_its_end(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr("IPython.display.display", lambda thing, **more: shown.append(repr(thing)))
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert list(bar(range(3), 3, "steps")) == [0, 1, 2]
    assert shown == ["steps: 3 of 3"]
