"""What the lessons show as recorded from PyTorch is what PyTorch prints, and what they conclude."""

import json

import pytest

from course.torch_runs import PATH, torch_run

RECORD = json.loads(PATH.read_text("utf-8"))


def figures(name, row):
    """The U of a row of a run, by the row's first words."""
    (line,) = [line for line in RECORD["runs"][name] if line.startswith(row)]
    cells = line.removeprefix(row).split(" U")
    return [int(cell.split()[-1]) for cell in cells[:-1]]


def test_pytorch_prints_what_was_recorded():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if torch.__version__.partition("+")[0] != RECORD["torch"]:
        pytest.skip(f"recorded with torch {RECORD['torch']}; here is {torch.__version__}")
    from course.torch_runs.runs import everything

    assert everything() == RECORD


def test_a_record_says_which_pytorch_and_which_program():
    first, blank, *lines = repr(torch_run("selective")).splitlines()
    version = f"PyTorch {RECORD['torch']}"
    assert first == f"Recorded: {version}, on a CPU, by course/torch_runs/selective.py"
    assert (blank, lines) == ("", RECORD["runs"]["selective"])


FORMS = {  # what a block stores, and what is in the hands of act's node when memory is highest
    "tanh": (lambda v: 1 + v, lambda v: 2 + 2 * v),
    "GELU": (lambda v: 1 + 2 * v, lambda v: 2 + v),
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
