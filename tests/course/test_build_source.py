"""A source is read with its lines, and a broken one is refused in one sentence."""

import subprocess
import sys

import pytest
from build_project import text

from course.build import source
from course.build.rules import ids, validate
from course.build.source import SourceError, read_lesson

GOOD = """
# %% [markdown]
# # 04  Which is freed
# Prose.

# %%
import math

# %% [markdown]
# ## A section

# %% solo="plain arithmetic" at="04.root"
math.sqrt(4)
# %% twin=true raises="RuntimeError"
raise RuntimeError("x")

# %% [markdown] card="count"
# ### Count

# %% exercise="count" difficulty=2 minutes=5
def count():
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION

# %% check="count"
check(count)

# %% [markdown] hint="count"
# Look.
"""


def read(folder, source, name="04_freed.py"):
    path = folder / "lessons" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text(source))
    lesson = read_lesson(path)
    validate(lesson)
    return lesson


def test_cells_know_their_kind_keys_lines_and_section(tmp_path):
    lesson = read(tmp_path, GOOD)
    assert (lesson.number, lesson.title) == ("04", "Which is freed")
    assert [cell.line for cell in lesson.cells] == [1, 5, 8, 11, 13, 16, 19, 25, 28]
    assert [cell.section for cell in lesson.cells] == [0, 0, 1, 1, 1, 1, 1, 1, 1]
    assert lesson.cells[3].keys == {"solo": "plain arithmetic", "at": "04.root"}
    assert lesson.setup.source == "import math"
    assert [cell.exercise for cell in lesson.cells[5:]] == ["count"] * 4
    assert len(lesson.demos) == 3


def test_ids_are_names_predictions_and_exercises(tmp_path):
    source = GOOD.replace("math.sqrt(4)", 'predict("04.k", "Which?", {}, run=str)')
    source = source.replace("import math", "from course.predict import predict")
    assert set(ids(read(tmp_path, source))) == {"04.root", "04.k", "count"}


def test_two_blank_lines_after_a_marker_do_not_shift_lines(tmp_path):
    source = GOOD.replace("math.sqrt(4)", "\n\nf(:")
    with pytest.raises(SourceError, match=r"^lessons/04_freed.py:14: not Python: "):
        read(tmp_path, source)


def test_a_name_is_defined_anywhere_in_the_lesson_or_missing_on_purpose(tmp_path):
    late = GOOD.replace("math.sqrt(4)", "def later(): return count()\n%time math.sqrt(4)")
    read(tmp_path, late)
    raising = 'twin=true raises="RuntimeError"\nraise RuntimeError("x")'
    read(tmp_path, GOOD.replace(raising, 'solo="a slip" raises="NameError"\nmth.sqrt(4)'))
    read(tmp_path, GOOD.replace("import math", "from math import *").replace("math.sq", "sq"))


def test_a_heading_in_a_code_fence_or_in_code_is_no_section(tmp_path):
    source = GOOD.replace("# Prose.", "# ```\n# ## not a heading\n# ```")
    assert max(cell.section for cell in read(tmp_path, source).cells) == 1


def test_magics_are_python_except_in_twins(tmp_path):
    read(tmp_path, GOOD.replace("math.sqrt(4)", "%time math.sqrt(4)"))
    with pytest.raises(SourceError, match=r":14: not Python: .*a twin cell has no magics"):
        read(tmp_path, GOOD.replace('raise RuntimeError("x")', "%time 1"))


BROKEN = {
    "unknown key": ("twin=true", "twim=true", 13, r"unknown key 'twim'; known keys: at, card, "),
    "unquoted": (
        'raises="RuntimeError"',
        "raises=RuntimeError",
        13,
        r"cannot read the keys '.*'; write key=\"text\"",
    ),
    "text": ('# %% check="count"', '# %% the check="count"', 25, r"'the' is not a key"),
    "number for text": ('at="04.root"', "at=4", 11, r"the key 'at' is written at=\"text\""),
    "text for number": ("minutes=5", 'minutes="5"', 19, r"the key 'minutes' is written minutes=3"),
    "twin=false": ("twin=true", "twin=false", 13, r"'twin' is written twin=true or left out"),
    "written twice": ("minutes=5", "minutes=5 minutes=6", 19, r"'minutes' is written twice"),
    "bad id": ('at="04.root"', 'at="the root"', 11, r"the id 'the root' may hold letters"),
    "empty cell": ("check(count)", "", 25, r"the cell is empty; delete its marker"),
    "raw cell": ('# %% [markdown] hint="count"', "# %% [raw]", 28, r"a raw cell"),
    "marker in a string": (
        "math.sqrt(4)",
        's = """\n# %% fake\n"""',
        1,
        r"looks like a cell marker",
    ),
    "misspelt": ("math.sqrt(4)", "4\nmth.sqrt(4)", 13, r"'mth' is defined nowhere in the lesson"),
    "misspelt answer": ("return 1", "return cuont", 22, r"'cuont' is defined nowhere"),
    "no title": ("# # 04  Which", "# # 05  Which", 1, r"the first cell is the title, '# 04  Titl"),
    "heading inside": ("# Prose.", "# ## Late", 1, r"'## Late' must be the first line"),
    "wide drawing": (
        "# Prose.",
        f"# {'x' * 76}\n# ```\n# {'-' * 75}\n# {'-' * 76}\n# ```",
        6,
        r"a line of 76 columns; 75 fit in a window of 900 pixels",
    ),
    "wide program": ("# Prose.", f"# ```python\n# {'x' * 76}\n# ```", 4, r"a line of 76 columns"),
    "key on code": ('check="count"', 'hint="count"', 25, r"'hint' does not belong on a code cell"),
    "key on prose": ('hint="count"', "twin=true", 28, r"'twin' does not belong on a markdown cell"),
    "clash": ("twin=true raises", 'twin=true solo="no" raises', 13, r"exclude each other"),
    "no minutes": (" minutes=5", "", 19, r"the exercise has no minutes; add minutes=N"),
    "stray minutes": (
        '# %% check="count"',
        '# %% check="count" minutes=3',
        25,
        r"belongs on the ce",
    ),
    "difficulty": ("difficulty=2", "difficulty=4", 19, r"difficulty=4; it is 1, 2 or 3"),
    "too long": ("minutes=5", "minutes=90", 19, r"minutes=90; it is between 1 and 60"),
    "no end": ("    ### END SOLUTION\n", "", 21, r"'### BEGIN SOLUTION' without an '### END"),
    "no begin": ("    ### BEGIN SOLUTION\n", "", 22, r"'### END SOLUTION' without a '### BEGIN"),
    "two begins": ("return 1", "### BEGIN SOLUTION", 22, r"a second '### BEGIN SOLUTION'"),
    "no region": (
        "    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION",
        "    return 1",
        19,
        r"the exercise has no '### BEGIN SOLUTION'",
    ),
    "stray region": ("math.sqrt(4)", "### BEGIN SOLUTION", 12, r"belongs in a cell with exercise"),
    "region at the margin": (
        "    ### BEGIN SOLUTION",
        "    pass\n### BEGIN SOLUTION",
        22,
        r"the solution must be inside a function",
    ),
    "unknown exercise": (
        'hint="count"',
        'hint="cuont"',
        28,
        r"hint=\"cuont\", but no cell has .*; known exercises: count",
    ),
    "no card": ('card="count"', "", 19, r"the exercise has no card"),
    "taken id": ('at="04.root"', 'at="count"', 19, r"the id 'count' is taken by line 11"),
    "two checks": (
        '# %% check="count"',
        '# %% check="count"\n1\n# %% check="count"',
        27,
        r"a second check for the exercise 'count'",
    ),
    "undecided": ('solo="plain arithmetic" ', "", 11, r"neither twin=true nor solo"),
    "foreign name": (
        'raise RuntimeError("x")',
        "y = 1\nmath.sqrt(y)",
        15,
        r"the twin cell uses 'math', which no twin cell before it defines",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_sources_say_file_line_and_remedy(tmp_path, case):
    old, new, line, sentence = BROKEN[case]
    assert old in GOOD
    with pytest.raises(SourceError, match=f"^lessons/04_freed.py:{line}: .*{sentence}"):
        read(tmp_path, GOOD.replace(old, new))


def test_a_fourth_hint_is_refused(tmp_path):
    hint = '\n# %% [markdown] hint="count"\n# More.\n'
    assert len(read(tmp_path, GOOD + 2 * hint).of("hint", "count")) == 3
    with pytest.raises(SourceError, match=r":37: a fourth hint for 'count'"):
        read(tmp_path, GOOD + 3 * hint)


def test_twins_need_no_reason_outside_the_lessons_about_pytorch(tmp_path):
    source = GOOD.replace("# # 04", "# # 13").replace('solo="plain arithmetic" ', "")
    assert read(tmp_path, source, "13_static.py").number == "13"


@pytest.mark.parametrize(
    "source, sentence",
    [
        ("", "the file is empty"),
        ("import math\n# %%\n1\n", "text before the first cell"),
        ("# ---\n# jupyter: {}\n# ---\n# %%\n1", "text before the first cell"),
        ("# %% [markdown]\n# # 04  Title\n", "no code cell"),
    ],
)
def test_files_that_are_no_lessons(tmp_path, source, sentence):
    with pytest.raises(SourceError, match=f"^lessons/04_freed.py:1: {sentence}"):
        read(tmp_path, source)


def test_names_and_encodings(tmp_path):
    with pytest.raises(SourceError, match="named NN_topic.py"):
        read(tmp_path, GOOD, "freed.py")
    (tmp_path / "lessons" / "04_freed.py").write_bytes(b"# %% [markdown]\n# \xff")
    with pytest.raises(SourceError, match="not UTF-8 text"):
        read_lesson(tmp_path / "lessons" / "04_freed.py")
    (tmp_path / "lessons" / "04_freed.py").write_bytes(b"\xef\xbb\xbf" + text(GOOD).encode())
    assert read_lesson(tmp_path / "lessons" / "04_freed.py").title == "Which is freed"


# --- what reading takes ---------------------------------------------------------------------


def test_a_text_is_taken_apart_once(tmp_path, monkeypatch):
    path, calls = tmp_path / "04_freed.py", []
    path.write_text(GOOD.lstrip() + "# read twice\n")
    read = source.jupytext.reads
    monkeypatch.setattr(source.jupytext, "reads", lambda *a, **k: calls.append(a) or read(*a, **k))
    one, other = read_lesson(path), read_lesson(path)
    assert one == other and one.cells[0] is not other.cells[0] and len(calls) == 1
    assert all(a.keys is not b.keys for a, b in zip(one.cells, other.cells, strict=True))


def test_no_grammar_of_addresses_is_made_to_check_notebooks():
    code = "import sys; from course.build import execute; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "nbformat" in loaded and "jsonschema" in loaded
    assert "lark" not in loaded and "rfc3987_syntax.syntax_helpers" not in loaded
