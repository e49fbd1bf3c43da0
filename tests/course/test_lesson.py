"""What set-up cells import: how a call ends, what a step costs, whether two train alike."""

import io
import re
import subprocess
import sys
import tokenize

import pytest

import minigrad as mg
from course.build.names import only_predictions
from course.build.rules import WIDEST
from course.lesson import attempt, price, same_gradients
from tests.loaded import COURSE


def second_backward():
    loss = mg.ones(2, requires_grad=True).exp().sum()
    loss.backward()
    loss.backward()


def written_to():
    y = mg.ones(2, requires_grad=True).exp()
    y += 1
    y.sum().backward()


def test_attempt_says_what_matters_and_no_remedy():
    assert attempt(list) == "passes"
    assert attempt(second_backward) == "Trying to backward through the graph a second time"
    said = attempt(written_to)
    assert said.startswith("[torch.FloatTensor [2]]")
    assert said.endswith("is at version 1; expected version 0 instead")


def test_attempt_hides_no_other_mistake():
    with pytest.raises(ZeroDivisionError):
        attempt(lambda: 1 / 0)


def test_importing_it_brings_the_magic():
    lines = (
        "from IPython.core.interactiveshell import InteractiveShell",
        "shell = InteractiveShell.instance()",
        "shell.run_cell('from course.lesson import predict')",
        "print('step' in shell.magics_manager.magics['cell'])",
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True"]


def test_the_price_of_a_step_counts_bytes_and_products():
    x, w = mg.ones(4, 8), mg.full((8, 8), 0.1, requires_grad=True)
    w.grad = mg.zeros(8, 8)
    found = price(lambda depth: deep(x, w, depth).sum(), 3)
    assert found.held == 3 * x.nbytes + 4  # three tanh and the loss
    assert found.highest > found.held
    assert found.products == 3 + 2 * 3 - 1  # x wants no gradient


def deep(x, w, depth):
    for _ in range(depth):
        x = (x @ w).tanh()
    return x


@pytest.mark.parametrize(("factor", "same"), [(1.0, True), (1 + 2e-7, True), (1 + 1e-5, False)])
def test_same_gradients_forgives_rounding_alone(factor, same):
    w = mg.arange(6.0).requires_grad_()
    w.grad = mg.full((6,), 7.0)  # of an earlier step
    way = (w * w).sum().backward
    assert same_gradients([w], way, lambda: (w * w * factor).sum().backward()) is same


# -- what a learner can take in at once --

POINT = "class Chain(", "class Faithful("  # what 10 and 11 are about: longer, and in one piece
LINES, WORDS = 15, 120
FENCED = re.compile(r"^```[\s\S]*?^```|^\|.*$", re.MULTILINE)
LESSONS = [one for one in COURSE if not one.is_page and int(one.number) >= 6]  # so far
LATER = [one for one in LESSONS if int(one.number) >= 8]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_its_cells_are_short_and_its_set_up_silences_no_linter(lesson):
    assert "noqa" not in lesson.setup.source
    cells = [cell for cell in lesson.demos if not only_predictions(cell.source)]
    cells = [cell for cell in cells if not cell.source.startswith(POINT)]
    long = {cell.line: n for cell in cells if (n := len(cell.source.strip().splitlines())) > LINES}
    assert long == {}


@pytest.mark.parametrize("lesson", LATER, ids=lambda lesson: lesson.number)
def test_no_comment_beside_code_is_cut_in_a_narrow_window(lesson):
    """A window of 900 pixels shows as many columns as a program on a page may have."""
    cells = [cell for cell in lesson.cells if cell.kind == "code"]
    wide = [line for cell in cells for line in commented(cell.source) if len(line) > WIDEST]
    assert wide == []


def commented(source):
    """The lines that have code and a comment behind it; a magic's line is none."""
    code = re.sub(r"^%%.*", "", source)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            yield token.line.rstrip("\n")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_no_paragraph_is_a_wall(lesson):
    """A list is a paragraph; programs, drawings and tables are none."""
    texts = [FENCED.sub("", cell.source) for cell in lesson.shown if cell.kind == "markdown"]
    paragraphs = [part.split() for text in texts for part in re.split(r"\n\s*\n", text)]
    walls = [" ".join(words[:8]) for words in paragraphs if len(words) > WORDS]
    assert walls == []


COLUMNS = 90  # seen in a window of 900 pixels; a code cell is cut there without a sign
ALL = [one for one in COURSE if not one.is_page]
NARROW = [one for one in ALL if one.number < "08" or one.number > "16"]  # so far


@pytest.mark.parametrize("lesson", NARROW, ids=lambda lesson: lesson.number)
def test_no_line_of_code_is_cut_in_a_narrow_window(lesson):
    """What a learner sees: a prediction is folded."""
    cells = [cell for cell in lesson.cells if cell.kind == "code"]
    shown = [cell for cell in cells if not only_predictions(cell.source)]
    rows = [row for cell in shown for row in cell.source.splitlines()]
    assert [row for row in rows if len(row) > COLUMNS] == []


NUMBERED = re.compile(r"^ *(\d+)[.)] ", re.MULTILINE)


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.number)
def test_no_line_begins_a_list_by_chance(lesson):
    """JupyterLab makes an item of a line that begins with "211. ", within a sentence as well."""
    texts = [FENCED.sub("", cell.source) for cell in lesson.shown if cell.kind == "markdown"]
    paragraphs = [part for text in texts for part in re.split(r"\n\s*\n", text)]
    inside = [NUMBERED.findall(part) for part in paragraphs if not NUMBERED.match(part)]
    assert [numbers for numbers in inside if numbers[:1] > ["1"]] == []


def test_what_a_hidden_view_asks_is_answered_folded():
    hidden = 0
    for lesson in COURSE:
        for cell, below in zip(lesson.shown, lesson.shown[1:], strict=False):
            if re.search(r"^%%step\b.* --hide\b", cell.source, re.MULTILINE):
                hidden += 1
                assert below.source.startswith("<details><summary>"), (lesson.file, below.line)
    assert hidden >= 2
