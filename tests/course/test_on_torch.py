"""What the lessons show as recorded under PyTorch is what PyTorch prints."""

import html
import platform
import re

import pytest

from course.build.rules import WIDEST
from course.on_torch import names, on_torch, run
from tests.twin.golden import VERSION


def exact(text):
    """The text without figures that differ from machine to machine."""
    return re.sub(r"about [\d,]+", "about", text)


@pytest.mark.parametrize("name", names())
def test_a_record_shows_where_it_ran_the_program_and_what_came(name):
    text = repr(on_torch(name))
    assert text.startswith(f"Recorded with PyTorch {VERSION}")
    for part in (on_torch(name).program.strip(), on_torch(name).printed.strip()):
        assert part and part in text and html.escape(part) in on_torch(name)._repr_html_()


@pytest.mark.parametrize("name", names())
def test_the_record_is_what_pytorch_prints(name, record_property):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    if "mallinfo2" in on_torch(name).program and platform.system() != "Linux":
        pytest.skip("the program asks the C library of Linux")
    printed = run(name).split("\n", 1)[1]
    record_property("prints", (exact(on_torch(name).printed), exact(printed)))
    assert exact(printed) == exact(on_torch(name).printed)


@pytest.mark.parametrize("name", names())
def test_no_row_of_a_record_wraps_in_a_narrow_window(name):
    rows = on_torch(name).printed.splitlines()
    assert [row for row in rows if len(row) > WIDEST] == []


def test_a_kept_loss_is_almost_4_KB_of_the_process():
    """What lesson 08 says of the figures is their order."""
    figures = re.findall(r"about ([\d,]+) B", on_torch("kept_losses").printed)
    loss, detached, number = (int(figure.replace(",", "")) for figure in figures)
    assert 3700 < loss < 4000 and 300 < detached < 1000 and number < 100


def figures(name, row):
    """The U of a row of a record, by the row's first words."""
    (line,) = [line for line in on_torch(name).printed.splitlines() if line.startswith(row)]
    cells = line.removeprefix(row).split(" U")
    return [int(cell.split()[-1]) for cell in cells[:-1]]


FORMS = {  # what a block stores, and what is in the hands of act's node when memory is highest
    "tanh": (lambda v: 1 + v, lambda v: 2 + 2 * v),
    "gelu": (lambda v: 1 + 2 * v, lambda v: 2 + v),
}


@pytest.mark.parametrize("act", FORMS)
def test_the_closed_forms_of_lesson_10_are_pytorchs(act):
    plain, *wide = figures("gelu_spacing", act)
    stores, last = FORMS[act]
    assert plain == 12 * stores(1) + last(1)
    assert wide == [36 // k + stores(4) * k + last(4) for k in (1, 2, 3, 4, 6)]


def test_keeping_products_costs_with_relu_and_saves_with_gelu():
    for row, saves in (("ReLU, v = 1", False), ("ReLU, v = 4", False), ("GELU, v = 4", True)):
        nothing, _, products, _ = figures("selective", row)
        assert (products < nothing) is saves
    assert figures("selective", "GELU, v = 4")[:3] == [150, 30, 106]
