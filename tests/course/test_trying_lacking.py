"""A name of PyTorch's that minigrad lacks is told first, by `check` and by the grader."""

import re

import pytest
from sandbox_rooms import job, rooms

import minigrad as mg
from course.classroom import page
from course.sandbox.attempt import shaped
from course.trying import judge
from course.trying.check import check

room = rooms(seconds=20)
SAYS = re.compile(r"Line \d+: minigrad has no `torch\.[\w.]+`.*`%%step --engine torch` runs it")
NET, X = mg.nn.Linear(2, 2), mg.ones(2)


def held_by_chain(steps, rows, columns):
    unit = rows * columns * 4
    held = {len(steps) - 1} | {i for i, step in enumerate(steps) if step in ("tanh", "exp")}
    return unit * len(held | {i - 1 for i, s in enumerate(steps) if s == "square"} - {-1}), unit


def asking(ask, swallow, right=False):
    """An answer that asks for something, as held_by_chain."""
    source = f"def held_by_chain(steps, rows, columns):\n    try:\n        {ask}\n"
    source += f"    except {swallow}:\n        pass\n"
    source += "    return right(steps, rows, columns)" if right else "    return 0, 0"
    names = {"mg": mg, "net": NET, "x": X, "right": held_by_chain}
    exec(compile(source, "<answer>", "exec"), names)
    return names["held_by_chain"]


ASKED = [
    "mg.cov(3)", "x.erf_()", "mg.nn.CTCLoss()", "net.bfloat16()", "X = x.matrix_exp",
    "from minigrad.nn import CTCLoss", "from minigrad.utils.tensorboard import SummaryWriter",
    "mg.optim.Muon", "mg.cuda.memory_summary()", "mg.nn.functional.rrelu(x, 0.5)",
]  # fmt: skip


@pytest.fixture
def hint(capsys):
    def of(function):
        check(function)
        return capsys.readouterr().out.partition("Hint: ")[2]

    return of


@pytest.mark.parametrize("ask", ASKED)
def test_what_the_learner_swallowed_is_told_before_any_other_diagnosis(ask, hint):
    said = hint(asking(ask, "Exception"))
    assert SAYS.match(said)
    assert said.startswith("Line 3: ") and said.count("minigrad has no") == 1
    assert len(said.splitlines()[0].split(". ", 1)[1].split()) > 3, "the case's own hint follows"


@pytest.mark.parametrize("ask", ASKED)
def test_an_error_of_this_kind_gets_no_other_diagnosis(ask, hint):
    said = hint(asking(ask, "KeyError")).splitlines()[0]
    assert SAYS.match(said) and said.endswith("on PyTorch.")


@pytest.mark.parametrize("ask", ["hasattr(x, 'erf_')", "x.nag_()", "getattr(mg, 'cov', 0)"])
def test_of_what_is_no_such_name_nothing_is_said(ask, hint):
    said = hint(asking(ask, "Exception"))
    assert said and "minigrad has no" not in said


def test_who_is_right_is_told_nothing(hint):
    assert hint(asking("x.erf_()", "AttributeError", right=True)) == ""


def test_it_is_of_this_case_alone(hint):
    assert "minigrad has no" in hint(asking("x.erf_()", "AttributeError"))
    assert "minigrad has no" not in hint(asking("pass", "AttributeError"))


# -- in the grader --

HEAD = "import minigrad as mg\n"


@pytest.mark.parametrize(
    "cell",
    [
        HEAD + "def total(numbers):\n    return mg.cov(3)",
        HEAD + "def total(numbers):\n    try: mg.cov(3)\n    except Exception: return 7",
        HEAD + "mg.cov(3)\ndef total(numbers):\n    return 7",
    ],
)
def test_the_page_tells_it(room, cell):
    reply = room.run(job(cell))
    outcome = next(iter(reply["outcomes"].values()))
    assert SAYS.match(outcome["lacking"])
    verdict = judge.Verdict("a case", 0, 1, "1", "2", "", "Compare.")
    shown = page.prose(judge.lacking.first_of_all(verdict, outcome).hint)
    assert "minigrad has no <code>torch.cov</code>" in shown


def test_a_text_of_the_learners_is_kept_short_and_no_other_thing_is_taken():
    assert len(shaped({"value": 1, "lacking": "x" * 9999})["lacking"]) == 400
    with pytest.raises(ValueError):
        shaped({"value": 1, "lacking": ["x"]})
