"""A name of a learner's that Python has, too: whose it is, as running the cell shows."""

import ast
import os
import random

from course.sandbox.scopes import may_be_pythons

MOVED = int(os.environ["MINIGRAD_MOVED"])
BINDS = (
    "mark = 1", "def mark(): 0", "class mark: 0", "async def mark(): 0", "def f():\n    mark = 1",
    "[mark for mark in [1]]", "class A:\n    mark = 1", "if False:\n    mark = 1", "lambda mark: 0",
    "def f():\n    def mark(): 0", "del mark", "def f():\n    global mark\n    mark = 1",
)  # fmt: skip
USES = (
    "note(mark)", "def f(): note(mark)\nf()", "def f(mark): note(mark)\nf(1)", "note(*[mark])",
    "def f():\n    mark = 1\n    note(mark)\nf()", "[note(mark) for mark in [1]]",
    "[note(mark) for x in [1]]", "[note(m) for m in [mark]]", "class A:\n    note(mark)",
    "class A:\n    mark = 1\n    note(mark)", "(lambda mark: note(mark))(1)",
    "(lambda: note(mark))()",
    "def f():\n    mark = 1\n    def g(): note(mark)\n    g()\nf()", "def f(x=mark): note(x)\nf()",
)  # fmt: skip


def cells(draw):
    drawn = [draw.choice([*BINDS, *USES, *USES]) for _ in range(draw.randint(1, 5))]
    cut = draw.randint(0, len(drawn))
    return ["\n".join(part) for part in (drawn[:cut], drawn[cut:])]


def read(sources):
    """How often Python's own is read as the cells run, and how many names may be it."""
    pythons, seen = object(), []
    names = {
        "note": seen.append,
        "__builtins__": {"mark": pythons, "__build_class__": __build_class__},
    }
    names["__name__"] = "cell"
    for source in sources:
        exec(source, names)
    found = list(may_be_pythons([ast.parse(source) for source in sources], {"mark"}))
    return sum(one is pythons for one in seen), len(found)


def test_no_use_of_pythons_own_is_missed():
    draw = random.Random(MOVED)
    for _ in range(2000):
        sources = cells(draw)
        try:
            uses, told = read(sources)
        except NameError:
            continue  # nothing was bound that could be deleted
        assert told >= uses, (MOVED, sources)


def test_what_is_bound_before_it_is_used_is_the_learners():
    draw = random.Random(MOVED)
    for _ in range(500):
        uses = draw.sample(USES, 3)
        assert read([draw.choice(BINDS[:4]), "\n".join(uses)]) == (0, 0), (MOVED, uses)
