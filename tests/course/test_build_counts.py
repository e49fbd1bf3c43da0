"""Budgets are formulas, and coverage has no gap among the lessons that exist."""

import pytest
from build_project import project, text
from test_build_source import GOOD

from course.build import budget, coverage
from course.build.project import Project
from course.build.source import read_lesson


def lesson(tmp_path, source, name="04_freed.py"):
    (tmp_path / name).write_text(text(source))
    return read_lesson(tmp_path / name)


def with_words(count, most=100):
    """So many words, in paragraphs of `most` or fewer."""
    parts = [min(most, count - start) for start in range(0, count, most)]
    return GOOD.replace("# Prose.", "\n#\n".join("# " + " ".join(["word"] * n) for n in parts))


def test_the_estimate_is_the_stated_formula(tmp_path):
    counted = budget.size(lesson(tmp_path, with_words(994)))
    assert (counted.words, counted.cells, counted.sections) == (1000, 3, 1)  # title, heading: 6
    assert counted.reading == 1000 / 200 + 3 * 0.5 and counted.working == 5
    assert counted.minutes == 6 and counted.exercises == 1  # exercises are another sitting


def test_a_prediction_is_a_minute_one_line_and_its_words(tmp_path):
    card = 'predict(\n    "04.k",\n    "Which one?",\n    {"a": "no", "b": "yes"},\n    run=f,\n)'
    plain = budget.size(lesson(tmp_path, GOOD))
    counted = budget.size(lesson(tmp_path, GOOD.replace("math.sqrt(4)", card)))
    assert counted.words - plain.words == 6 and counted.lines == plain.lines
    assert counted.reading == pytest.approx(plain.reading + 1 + 6 / 200)


def test_blank_lines_and_comments_are_no_code(tmp_path):
    cell = lesson(tmp_path, GOOD.replace("math.sqrt(4)", "# why\n\nx = 1\ny = 2")).demos[1]
    assert budget.code_lines(cell) == 2


def test_too_many_minutes_or_sections_are_problems(tmp_path):
    assert list(budget.problems(lesson(tmp_path, with_words(100)))) == []
    (problem,) = budget.problems(lesson(tmp_path, with_words(9000)))
    assert "/04_freed.py: about 47 minutes (9006 words / 200, 3 cells x 0.5, 0 pred" in problem
    more = GOOD + 6 * "\n# %% [markdown]\n# ## More\n"
    (problem,) = budget.problems(lesson(tmp_path, more))
    assert problem.endswith("/04_freed.py: 7 sections; at most 6")


def test_a_set_up_cell_of_sixteen_lines_is_a_problem(tmp_path):
    fits = "import math" + "\n\n# why" * 7  # blank lines and comments are seen, too
    assert list(budget.problems(lesson(tmp_path, GOOD.replace("import math", fits)))) == []
    (problem,) = budget.problems(lesson(tmp_path, GOOD.replace("import math", fits + "\nx = 1")))
    assert "/04_freed.py:5: the set-up cell has 16 lines; at most 15" in problem


LONG = " ".join(["word"] * 60)


@pytest.mark.parametrize(
    "text, walls",
    [
        (f"{LONG}\n{LONG}", []),
        (f"{LONG}\n{LONG} more", [(0, 121)]),
        (f"{LONG}\n\n{LONG} more", []),
        (f"short\n\n- {LONG}\n- {LONG} more", [(2, 121)]),
        (f"## A heading of its own\n{LONG}\n{LONG}", []),
        (f"```\n{LONG}\n{LONG} more\n```", []),
        (f"| {LONG} |\n| {LONG} more |", []),
        (f"```\ncode\n```\n{LONG}\n{LONG} more\n## End\nshort", [(3, 121)]),
    ],
)
def test_a_paragraph_stands_between_blank_lines(text, walls):
    counted = [(row, budget._words(found)) for row, found in budget.paragraphs(text)]
    assert [one for one in counted if one[1] > budget.MAX_PARAGRAPH] == walls


@pytest.mark.parametrize("kind", ["prose", "hint", "card", "page"])
def test_a_wall_of_words_is_named_wherever_it_stands(tmp_path, kind):
    wall = f"{LONG} {LONG} more"
    source = {
        "prose": GOOD.replace("Prose.", wall),
        "hint": GOOD + f'\n# %% [markdown] hint="double"\n# {wall}\n',
        "card": GOOD + f'\n# %% solo="card"\npredict("04.k", "{wall}", {{"a": "no"}}, run=len)\n',
        "page": GOOD.replace("# 04  Title", "# Title").replace("Prose.", wall),
    }[kind]
    found = lesson(tmp_path, source, "playground.py" if kind == "page" else "04_freed.py")
    walls = [one for one in budget.problems(found) if "a paragraph of 121 words" in one]
    assert len(walls) == 1 and ".py:" in walls[0]


def test_no_lesson_has_a_wall():
    """Names every offender: a set-up cell over 15 lines, a paragraph over 120 words."""
    lessons = [read_lesson(path) for path in Project().sources()]
    assert len(lessons) > 16
    walls = [wall for one in lessons for wall in budget.walls(one)]
    assert not walls, "\n" + "\n".join(walls)


def test_a_card_beside_other_code_is_a_warning(tmp_path):
    card = 'f = len\npredict("04.k", "?", {"a": "no", "b": "yes"}, run=f)'
    source = with_words(100).replace("math.sqrt(4)", card)
    (warning,) = budget.warnings(lesson(tmp_path, source))
    assert "/04_freed.py:11: a prediction shares its cell with other code" in warning


def test_long_cells_and_few_words_are_warnings(tmp_path):
    assert list(budget.warnings(lesson(tmp_path, with_words(100)))) == []
    long = "\n".join(f"x{n} = {n}" for n in range(13))
    cell, words = budget.warnings(lesson(tmp_path, GOOD.replace("math.sqrt(4)", long)))
    assert cell.endswith("/04_freed.py:11: 13 lines of code; aim at 12")
    assert words.endswith("/04_freed.py: 0.5 words per line of code; aim at 5 or more")


ENTRY = {
    "id": "003.2",
    "kind": "question",
    "thread": "003",
    "text": "Which?",
    "lessons": "05",
    "cell": "05.s2",
}
LESSONS = {"04": {"04.k": None}, "05": {"05.s2": None}}


def gaps(tmp_path, *entries):
    rows = []
    for entry in entries:
        rows += ["[[question]]"] + [f"{key} = {value!r}" for key, value in entry.items()]
    return coverage.gaps(project(tmp_path, coverage="\n".join(rows)), LESSONS)


def test_covered_questions(tmp_path):
    later = ENTRY | {"id": "B7", "kind": "correction", "lessons": "09", "cell": ""}
    several = ENTRY | {"id": "x", "lessons": ["04", "05"], "cell": "05.s2 04.k"}
    assert gaps(tmp_path, ENTRY, later, several) == []


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"cell": "05.s3"}, "003.2: there is no cell '05.s3' in lesson 05"),
        ({"cell": "04.k"}, "003.2: there is no cell '04.k' in lesson 05"),
        ({"cell": ""}, "003.2: lesson 05 is built, but no cell is named"),
        ({"lessons": ""}, "003.2: lessons is empty; name the lesson that teaches it"),
        ({"kind": "doubt"}, "003.2: kind is 'doubt'; it is question or correction"),
        ({"where": "5"}, "003.2: unknown where"),
    ],
)
def test_gaps(tmp_path, change, sentence):
    assert gaps(tmp_path, ENTRY | change) == [f"lessons/coverage.toml: {sentence}"]


def test_missing_keys_and_repeated_ids(tmp_path):
    short = {key: value for key, value in ENTRY.items() if key not in ("thread", "id")}
    assert gaps(tmp_path, ENTRY, short, ENTRY) == [
        "lessons/coverage.toml: an entry without id: no id, thread",
        "lessons/coverage.toml: 003.2: the id is used twice",
    ]


def test_a_partly_built_question_may_name_cells_to_come(tmp_path):
    assert gaps(tmp_path, ENTRY | {"lessons": "05 09", "cell": "05.s2 09.later"}) == []


def test_a_coverage_file_that_cannot_be_read(tmp_path):
    checkout = project(tmp_path, coverage="[[question]\n")
    assert "lessons/coverage.toml cannot be read: " in coverage.gaps(checkout, {})[0]
    checkout.coverage.unlink()
    assert "lessons/coverage.toml is missing" in coverage.gaps(checkout, {})[0]
