"""What is run for an exercise: the course's set-up, what the answer needs, the answer; no more."""

import json

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from course.classroom import answers, magics
from course.classroom.notebook import read

SETUP = "import minigrad as mg\nimport numpy as np\n\ndef five_lines():\n    return 5"
STUB = 'def freed(x):\n    raise NotImplementedError("freed: not written yet")'
GOOD = "def freed(x):\n    return 4096"


def marked(source, exercise="freed", role="answer"):
    return source, {"minigrad": {"exercise": exercise, "role": role}}


def book(*cells):
    """A notebook of code cells, each a source or a (source, metadata)."""
    pairs = [cell if isinstance(cell, tuple) else (cell, {}) for cell in cells]
    made = [{"cell_type": "code", "source": text, "metadata": meta} for text, meta in pairs]
    return read(json.dumps({"cells": made}).encode(), "04.ipynb")


def taken(*cells, exercise="freed", setup=SETUP):
    """{cell's name: source} without the set-up cell, and the notes."""
    cells, notes = answers.cells_for(book(*cells), exercise, setup)
    if cells:
        assert cells[0]["name"] == "set-up", "the course's own comes first"
    return {cell["name"]: cell["source"] for cell in cells[1:]}, notes


def run(*cells, exercise="freed"):
    """The function that the cells make, run as the grader's child runs them."""
    namespace = {"__name__": "__main__"}
    for cell in answers.cells_for(book(*cells), exercise, "one = 1")[0]:
        exec(compile(cell["source"], f"<{cell['name']}>", "exec"), namespace)
    return namespace[exercise]


# --- which cell is the answer --------------------------------------------------------------


def test_the_marked_cell_is_the_answer_and_the_set_up_is_the_courses():
    cells, notes = answers.cells_for(book("mg = None", marked(GOOD)), "freed", SETUP)
    assert cells == [{"name": "set-up", "source": SETUP}, {"name": "cell 2", "source": GOOD}]
    assert notes == []


def test_without_marks_the_name_tells():
    assert taken("import os", GOOD, "y = 1") == ({"cell 2": GOOD}, [])


def test_the_last_of_two_counts():
    cells, notes = taken(marked(STUB), marked(GOOD))
    assert cells == {"cell 2": GOOD}
    assert notes == ["2 cells define freed(); the last one counted"]
    assert list(taken(marked(STUB), "x = 1", GOOD, GOOD)[0]) == ["cell 4"]


def test_an_answer_below_the_untouched_stub_counts():
    assert taken(marked(STUB), GOOD)[0] == {"cell 2": GOOD}


def test_an_answer_in_another_exercises_cell_is_found():
    assert taken(marked(GOOD, "alive"))[0] == {"cell 1": GOOD}


@pytest.mark.parametrize(
    "trial",
    ["freed = freed(3)", "del freed", "freed(3)", "freed.calls = 0", "for freed in []: pass", "%x"],
)
def test_trying_it_out_is_no_second_answer(trial):
    assert taken(marked(GOOD), trial) == ({"cell 1": GOOD}, [])


def test_a_lambda_or_a_class_or_a_branch_is_an_answer():
    for text in "freed = lambda x: 1", "class freed: pass", "if 1:\n    def freed(x): pass":
        assert taken("x = 1", text)[0] == {"cell 2": text}
    assert taken("freed = partial(f, 1)")[0] == {"cell 1": "freed = partial(f, 1)"}


def test_a_split_cell_is_put_together_again():
    cells, notes = taken(marked("def helper(x):\n    return x"), marked("def freed(x): helper(x)"))
    assert list(cells) == ["cell 1", "cell 2"] and notes == []


def test_no_answer_is_a_sentence():
    assert answers.cells_for(book("x = 1"), "freed", SETUP) == ([], ["no cell defines freed()"])
    assert answers.cells_for(book(), "freed", SETUP)[0] == []


# --- what else is run ----------------------------------------------------------------------


def test_a_helper_and_its_helpers_come_along_and_nothing_else():
    cells, _ = taken(
        "import math",
        "def half(x):\n    return x / TWO",
        "while True: pass",
        "TWO = 2",
        "unused = 3",
        "def freed(x):\n    return half(math.pi)",
    )
    assert list(cells) == ["cell 1", "cell 2", "cell 4", "cell 6"]


def test_a_helper_below_the_answer_is_found():
    assert run("def freed(x):\n    return half(x)", "def half(x):\n    return x / 2")(8) == 4


def test_a_demo_beside_a_helper_is_left_out_and_rows_stay_true():
    cells, _ = taken(
        "print(1)\nA = [1]; B = 2; raise SystemExit\n\n\ndef half(x):\n    return x\nwhile 1: 0",
        "def freed(x):\n    return half(A)",
    )
    assert cells["cell 1"] == "\nA = [1]\n\n\ndef half(x):\n    return x"


def test_statements_of_one_row_stay_on_it():
    cells, _ = taken("A = '''\n'''; B = 2; C = 3", "def freed(x): return A, C")
    assert cells["cell 1"] == "A = '''\n'''; C = 3"


def test_a_decorated_helper_keeps_its_decorator():
    cells, _ = taken(
        "import functools\n\n@functools.cache\n# why\ndef half(x): return x",
        "def freed(x): return half(x)",
    )
    assert cells["cell 1"] == "import functools\n\n@functools.cache\n# why\ndef half(x): return x"


def test_what_changes_a_helper_comes_along():
    change = ["TABLE = {}", "TABLE[1] = 2", "TABLE.update(a=1)", "TABLE.x.y[0] = 3", "TABLE |= {}"]
    cells, _ = taken(*change, "OTHER[1] = 2", "def freed(x): return TABLE")
    assert list(cells) == ["cell 1", "cell 2", "cell 3", "cell 4", "cell 5", "cell 7"]


def test_names_inside_functions_pull_in_no_demo():
    cells, _ = taken("loss = 1 / 0", "x = 2", "def freed(x):\n    loss = x\n    return loss")
    assert list(cells) == ["cell 3"]


def test_the_set_up_of_the_learner_gives_only_what_the_courses_lacks():
    edited = "import minigrad as mg\nimport math\nnp = None\ndef five_lines(): return 6"
    cells, _ = taken(edited, "def freed(x): return math, np, mg, five_lines()")
    assert cells["cell 1"] == "\nimport math"


def test_a_star_import_may_bind_anything():
    cells, _ = taken("from math import *", "def freed(x): return sqrt(x)")
    assert list(cells) == ["cell 1", "cell 2"]


def test_an_answer_to_one_exercise_may_use_another():
    cells, _ = taken(marked("def alive(x): return 1", "alive"), marked("def freed(x): alive(x)"))
    assert list(cells) == ["cell 1", "cell 2"]


def test_recursion_pulls_in_no_older_answer():
    text = "def freed(x): return freed(x - 1) if x else 7"
    assert list(taken(GOOD, text)[0]) == ["cell 2"]
    assert run(GOOD, text)(3) == 7


def test_the_set_up_is_found():
    found = book(marked("x", role="check"), "import minigrad as mg", marked(GOOD))
    assert answers.setup_of(found) == "import minigrad as mg"
    assert answers.setup_of(book(marked(GOOD))) == ""


def test_the_names_of_a_notebook():
    assert answers.defined(book("x = 1", "def f():\n    y = 2", "(", "z.a = 3")) == {"x", "f"}


# --- check and magics ----------------------------------------------------------------------


def test_checks_are_dropped_and_rows_stay_true():
    text = "check(\n    freed,\n); x = 1\ndef freed(x):\n    return check(x)\ncheck(freed)"
    assert taken(text)[0] == {"cell 1": "None; x = 1\n\n\ndef freed(x):\n    return check(x)\nNone"}


MAGIC = [
    ("%time x = f()", "x = f()"),
    ("%timeit f()", "pass"),
    ("x = !ls 'it", "x = None"),
    ("a, b = %sx ls", "a, b = None"),
    ("!pip install a \\\n  b\nx = 1", "pass\n\nx = 1"),
    ("%%time\nx = 1\n%who", "\nx = 1\npass"),
    ("%%bash\nrm -rf x\ny", "\n\n"),
    ("%%step --title 'a'\nx = 1", "\nx = 1"),
    ("freed?", "pass"),
    ("??freed", "pass"),
    ("if 1:\n    %who\n    !ls", "if 1:\n    pass\n    pass"),
    ("  x = 1\n  !ls\n  y = 2", "x = 1\npass\ny = 2"),
    ("pip install numpy\nx = 1", "pass\nx = 1"),
    ("s = '''\n%a\n!b\n'''\n%who", "s = '''\n%a\n!b\n'''\npass"),
    ("a = (5\n% 2)\n%who", "a = (5\n% 2)\npass"),
    ("a = 5 \\\n% 2\n%who", "a = 5 \\\n% 2\npass"),
    ("x = '(' # ''' (\n%who", "x = '(' # ''' (\npass"),
    ("x = 7\nx %= 3\n%who", "x = 7\nx %= 3\npass"),
]


@pytest.mark.parametrize(("source", "plain"), MAGIC)
def test_magics_do_nothing_on_their_own_row(source, plain):
    assert magics.parse(source)[0] == plain
    assert source.count("\n") == plain.count("\n")


PLAIN = [
    "x = 1 % 2",
    "a = (5\n% 2)",
    "s = '''\n%a\n!b\n?\n'''",
    "x != y",
    "s = 'what?'",
    "f = 1 #?",
]


@pytest.mark.parametrize("source", PLAIN)
def test_plain_python_is_left_as_it_is(source):
    assert magics.parse(source)[0] == source
    assert magics.without_magics(source) == source


@pytest.mark.parametrize("source", [source for source, _ in MAGIC] + PLAIN + ["x = ", "f(", "a b"])
def test_what_jupyter_can_read_is_read_and_nothing_more(source):
    def reads(function):
        try:
            function(source)
        except SyntaxError:
            return False
        except magics.NotPython:
            return False
        return True

    automagic = source.startswith("pip ")  # Jupyter looks it up when it runs
    theirs = reads(lambda s: compile(TransformerManager().transform_cell(s), "c", "exec"))
    assert reads(magics.parse) == (theirs or automagic)


def test_magics_in_an_answer_leave_the_answer():
    assert run("%%time\n!ls\ndef freed(x):\n    %who\n    return x\nfreed?")(4) == 4


@pytest.mark.parametrize("options", ["", " --fresh", " --engine torch --at 'a b' --end"])
def test_a_cell_that_is_stepped_has_the_names_that_it_defines(options):
    assert run(f"%%step{options}\ndef freed(x):\n    return x")(4) == 4


# --- what cannot be read -------------------------------------------------------------------


def test_a_syntax_error_is_quoted_with_its_line():
    text = "def freed(x):\n    h = x @\n    return h"
    cells, notes = taken("def half(x): pass", marked(text))
    assert cells == {"cell 2": text}, "it goes on as it is: the child says so again, in the table"
    assert notes == ["cell 2, line 2: `h = x @` is not Python (invalid syntax)"]


def test_a_broken_cell_matters_only_when_its_names_do():
    broken = "def half(x:\n    return x"
    assert taken(broken, GOOD)[1] == []
    cells, notes = taken(broken, "def freed(x): return half(x)")
    assert list(cells) == ["cell 2"]
    assert notes == ["cell 1, line 1: `def half(x:` is not Python ('(' was never closed), so it "
                     "was left out"]  # fmt: skip


def test_the_broken_last_try_counts_and_not_an_older_one():
    cells, notes = taken(GOOD, marked("def freed(x:"))
    assert list(cells) == ["cell 2"] and "2 cells define freed()" in notes[0]


HOSTILE = {
    "attributes": "x" + ".a" * 49_000,
    "minus": "-" * 99_000 + "1",
    "brackets": "(" * 99_000,
    "calls": "f" + "()" * 49_000,
    "sum": "1" + "+1" * 49_000,
    "ternaries": "1 if 1 else " * 8_000 + "1",
    "branches": "if 1:\n pass\n" + "elif 1:\n pass\n" * 7_000,
    "digits": "x = " + "9" * 90_000,
    "null": "x = 1\0",
    "escape": "'\\N{nothing}'",
    "old escape": "x = '\\d'",
    "names": "\n".join(f"a{i} = a{i + 1}" for i in range(6_000)),
    "one name": "a0 = 1;" * 14_000,
    "marks": "?" * 50_000 + "x",
    "magics": "%a b\n" * 19_000,
    "spaces": "? " * 49_000 + "x",
    "decorators": "@a\n" * 33_000 + "def a0(): pass",
    "scopes": "def a0():\n    x = 1\n    global x",
    "quotes": "'" * 50_001 + "\n%x",
    "indent": "\n".join(" " * i + "if 1:" for i in range(99)) + "\n" + " " * 99 + "a0 = 1",
    "form feed": "\fx = 1\f\ny = 2\v",
    "other line ends": "x = 'a\u2028b\x85c'\ndef a0(): pass",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_code_is_read_or_named(text):
    for cells in (text, "def freed(x): return a0"), (marked(text), text), (text, text, GOOD):
        found, notes = answers.cells_for(book(*cells), "freed", SETUP)
        assert all(len(note) < 300 and "\n" not in note for note in notes)
        assert all(set(cell) == {"name", "source"} for cell in found)


def test_a_chain_of_ten_thousand_helpers_is_followed():
    helpers = ";".join(f"a{i} = a{i + 1}" for i in range(5_000)) + "; a5000 = 7"
    assert "a5000 = 7" in taken(helpers, "def freed(x): return a0")[0]["cell 1"]
