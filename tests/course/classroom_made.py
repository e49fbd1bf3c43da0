"""A course of its own with as many exercises as the real one, and learners who hand them in.

For tests and for measuring how long a class takes; every learner's points are known beforehand.
"""

import json
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LESSONS = [f"{number:02d}" for number in range(1, 16)]
EACH = 3  # exercises of a lesson; 4 points each
SETUP = "import minigrad as mg\n\nfrom course.grade import check"
CASES = '''"""Cases of a lesson that stands for a real one."""

from course.trying import case, measure
'''
CASE = """

@case("{id}", "one layer", hint="A tanh keeps its own result.")
def {id}_one(f, draw):
    return f(1, draw.int(2, 9_999))


@case("{id}", "several layers", hint="Each tanh keeps its own result.")
def {id}_several(f, draw):
    return f(draw.int(2, 9), draw.int(2, 9_999))


@case("{id}", "large", points=2, hint=lambda got, want: "A float32 has 4 bytes.")
def {id}_large(f, draw):
    return f(draw.int(10, 20), draw.int(10_000, 99_999))
"""
STUB = 'def {id}(layers, size):\n    raise NotImplementedError("{id}: not written yet")'
SOLVED = (
    "def {id}(layers, size):\n"
    "    x = mg.ones(8, requires_grad=True)\n"
    "    for _ in range(layers):\n"
    "        x = x.tanh()\n"
    "    x.sum().backward()\n"
    "    return 4 * layers * size"
)
HALF = "def {id}(layers, size):\n    return 4 * size"  # right for one layer: 1 point of 4
WRONG = "def {id}(layers, size):\n    return 8 * layers * size"


def ids(lesson):
    return [f"kept_{lesson}_{letter}" for letter in "abc"[:EACH]]


def file_name(lesson):
    return f"{lesson}_lesson_{lesson}.ipynb"


def cell(source, exercise=None, role=None, kind="code"):
    mark = {"minigrad": {"exercise": exercise, "role": role}} if role else {}
    made = {"cell_type": kind, "id": "a", "metadata": mark, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def notebook(lesson, answers):
    """The lesson's exercise notebook with {exercise: source of the answer}."""
    cells = [cell(f"# {lesson}", kind="markdown"), cell(SETUP)]
    for id in ids(lesson):
        cells.append(cell(answers.get(id, STUB).replace("{id}", id), id, "answer"))
        cells.append(cell(f"check({id})", id, "check"))
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), "utf-8")


def write_course(root, lessons=LESSONS):
    """A checkout with the real grader and the course that stands for the real one."""
    for folder in ("minigrad", "whoholds", "course"):
        leave = shutil.ignore_patterns("__pycache__", "*_[0-9][0-9].py", "expected")
        shutil.copytree(ROOT / folder, root / folder, ignore=leave)
    for lesson in lessons:
        text = CASES + "".join(CASE.replace("{id}", id) for id in ids(lesson))
        (root / "course/cases" / f"lesson_{lesson}.py").write_text(text, "utf-8")
    write_notebooks(root, lessons)


def write_notebooks(root, lessons):
    for lesson in lessons:
        write(root / "exercises" / file_name(lesson), notebook(lesson, {}))
        write(root / "solutions" / file_name(lesson), notebook(lesson, solved(lesson)))


def solved(lesson):
    return dict.fromkeys(ids(lesson), SOLVED)


def hand_in(folder, answers, lessons=LESSONS):
    """A learner's notebooks in their folder: {exercise: source}, the rest not written."""
    for lesson in lessons:
        write(folder / file_name(lesson), notebook(lesson, answers))


def write_class(folder, count):
    """{learner: points they must get}: some are done, some half way, some wrong."""
    points = {}
    for number in range(count):
        learner = f"learner_{number:03d}"
        answers, points[learner] = ordinary(number)
        hand_in(folder / learner, answers)
    return points


def ordinary(number):
    """({exercise: answer}, points): four in ten solve all, the others come to differing ends."""
    order = [id for lesson in LESSONS for id in ids(lesson)]
    if number % 10 < 4:
        return dict.fromkeys(order, SOLVED), 4 * len(order)
    done = 1 + 7 * number % len(order)
    answers = dict.fromkeys(order[:done], SOLVED)
    answers[order[0]] = HALF if number % 2 else WRONG
    return answers, 4 * (done - 1) + number % 2
