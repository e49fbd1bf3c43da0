"""Hostile submissions earn nothing that is not flagged; honest ones have all points and no flag.

Others wrote them than those who built the grader. Some are drawn anew in each run, all of them
tried with `--every-answer`.
"""

import ast
import os
import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from submitted import TESTS, Grader, Submitted, honest, hostile

from course.build import planted
from course.classroom.marking import PERHAPS_WRONG
from course.sandbox.room import Refused

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="grading needs Linux")
SEED = random.randrange(10**9)  # others each time, and in each worker
SOME = 20
PRINTS = {  # each time it is called, and is told that not all of it is kept
    "graph_report: class names, type(node).__name__ printed, sorted by dir, "
    "a metaclass-free registry",
    "price_of_retaining: simulates the loop event by event with a list of graphs and max over a "
    "trace",
}


@pytest.fixture(scope="module")
def grader():
    made = Grader()
    try:
        made.__enter__()
    except Refused as refused:
        pytest.skip(str(refused))
    yield made
    made.__exit__()


def test_the_numbers_on_the_page_are_those_of_the_files():
    text = (TESTS.parent / "docs/grading.md").read_text("utf-8").replace("\n", " ")
    found = re.search(r"wrote (\d+) attacks, and the builders (\d+), .*?; (\d+) answers are", text)
    assert found and sum(map(int, found.groups())) == len(hostile())
    right = re.search(r"Of (\d+) honest answers", text)
    assert right and int(right[1]) == len(list(honest()))


def drawn(every, request):
    every = list(every)
    if request.config.getoption("every_answer"):
        return every
    return random.Random(SEED).sample(every, SOME)


def test_no_attack_earns_a_point_without_a_flag(grader, request):
    robbed = {}
    for attack in drawn(hostile(), request):
        points, _, flags, notes = grader.graded(attack, str(SEED))
        if points > attack.deserves and not flags:
            robbed[attack.name] = points, attack.deserves, notes
    assert not robbed, (SEED, robbed)


def test_no_honest_style_lacks_a_point_or_is_flagged(grader, request):
    every = drawn(honest(), request)
    found = {answer.name: wrong(grader, answer, answer.name in PRINTS) for answer in every}
    assert not any(found.values()), (SEED, {name: how for name, how in found.items() if how})


def wrong(grader, answer, prints):
    """(points, of, flags, notes) of an honest answer, if any of these is not as it should be."""
    points, of, flags, notes = grader.graded(answer, str(SEED))
    if prints:
        notes = [note for note in notes if not note.startswith("it printed ")]
    if points < of or notes or flags:
        return points, of, flags, notes
    return None


def test_whose_test_refuses_a_right_op_is_not_said_to_trace(grader):
    """The grader does, to see whether that test failed inside."""
    found = planted.read(TESTS / "answers/12_still_right.py", "12")
    wrong = [one for one in found if (one.exercise, one.kind) == ("is_trustworthy", "wrong")]
    for one in random.sample(wrong, 8):
        answer = Submitted(str(one), ((one.exercise, one.source),))
        points, of, flags, _ = grader.graded(answer, str(SEED))
        assert points < of and not any("traces" in flag for flag in flags), (str(one), flags)


def test_the_flag_of_a_wrong_answer_says_that_it_may_be_no_more(grader):
    """An answer that keeps what it could compute again leaves more bytes than the reference's."""
    found = planted.read(TESTS / "answers/19_a_transformer_block.py", "19")
    wrong = [one for one in found if (one.exercise, one.kind) == ("GeluLinear", "wrong")]
    flags = []
    for one in wrong:
        answer = Submitted(str(one), ((one.exercise, one.source),))
        flags += grader.graded(answer, str(SEED))[2]
    assert flags and all(flag.endswith(PERHAPS_WRONG) for flag in flags), (SEED, flags)


class Printing(ast.NodeTransformer):
    """Has all that a function is given printed, and what it gives a name, as a text and in one.

    In a text of many, that is: `f"{loss}"` of a single number is that number, which counts.
    """

    def visit_ClassDef(self, statement):
        return statement  # to print an object asks its methods, properties and attributes

    def visit_FunctionDef(self, function):
        self.generic_visit(function)
        given = function.args
        for one in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
            function.body.insert(0, printed(one.arg))
        return function

    def visit_Assign(self, statement):
        names = [one.id for one in statement.targets if isinstance(one, ast.Name)]
        return [statement, *map(printed, names)]

    def visit_Lambda(self, function):
        return function


def printed(name):
    return ast.parse(f"print({name}, [{name}], f'{{[{name}]}}')").body[0]


def test_who_prints_all_there_is_has_the_same_points_and_no_flag(grader, request):
    found = {}
    for answer in drawn(honest(), request):
        *cells, (exercise, source) = answer.cells
        if re.search(r"^ *[%!]|\?\s*$", source, re.MULTILINE):
            continue  # a magic, or a question: no text that Python can read
        tree = Printing().visit(ast.parse(source))
        source = ast.unparse(ast.fix_missing_locations(tree))
        prints = replace(answer, cells=(*cells, (exercise, source)))
        found[answer.name] = wrong(grader, prints, True)
    assert not any(found.values()), (SEED, {name: how for name, how in found.items() if how})


WITH_TABLE = """
{source}
by_formula = {exercise}

def {exercise}(*given):
    return TABLE and by_formula(*given)
"""


@pytest.mark.parametrize(
    "table, flags",
    [
        ("TABLE = [1]", 0),
        ("TABLE = mg.ones(3).tolist()", 1),
        ("TABLE = []\ntry: TABLE = mg.ones(3).tolist()\nexcept RuntimeError: pass", 1),
    ],
)
def test_what_is_tried_out_beside_an_answer_is_no_flag_but_what_it_needs(grader, table, flags):
    every = [one for one in honest() if one.exercises == ["held_by_op"]]
    answer = random.choice([one for one in every if "mg" not in one.cells[-1][1]])
    *cells, (exercise, source) = answer.cells
    tried = f"import minigrad as mg\n{table}\n{{}}\nmg.ones(3) * 2"
    source = tried.format(WITH_TABLE.format(source=source, exercise=exercise))
    points, of, found, _ = grader.graded(
        Submitted("tried", (*cells, (exercise, source))), str(SEED)
    )
    assert (points, len(found)) == (of, flags), answer.name


FORMS = {  # what may stand in the place of a function
    "itself": "Other = own",
    "a class": """
class Other:
    def __new__(cls, *given, **named):
        return own(*given, **named)
""",
    "an object": """
class Kind:
    def __call__(self, *given, **named):
        return own(*given, **named)

Other = Kind()
""",
    "a partial function": "import functools\nOther = functools.partial(own)",
    "a wrapped function": """
import functools

@functools.wraps(own)
def Other(*given, **named):
    return own(*given, **named)
""",
    "one that leaves an error in a finalizer": """
import minigrad as mg

class Late:
    def __del__(self):
        mg.zeros("wide")

def Other(*given, **named):
    Late()
    return own(*given, **named)
""",
    "one that leaves an error in a thread": """
import threading

import minigrad as mg

def Other(*given, **named):
    late = threading.Thread(target=mg.zeros, args=("wide",))
    late.start()
    late.join()
    return own(*given, **named)
""",
    "one in an event loop": """
import asyncio

async def later(given, named):
    return own(*given, **named)

def Other(*given, **named):
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(later(given, named))
    return own(*given, **named)  # it has called itself
""",
    "one in a copy of the context": """
import contextvars

def Other(*given, **named):
    return contextvars.copy_context().run(own, *given, **named)
""",
    "one in a pool of threads": """
from concurrent.futures import ThreadPoolExecutor

def Other(*given, **named):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(own, *given, **named).result()
""",
    "one that asks who has called it": """
import inspect
import sys

def Other(*given, **named):
    print(inspect.stack()[1].function, sys._getframe(1).f_code.co_name)
    print([(one.filename, one.lineno, one.code_context) for one in inspect.stack(3)])
    print(inspect.getouterframes(inspect.currentframe())[-1].frame.f_code.co_filename)
    return own(*given, **named)
""",
    "one with names of its own on the engine": """
import minigrad as mg

mg.alive = mg.memory_allocated
mg.Tensor.kilobytes = property(lambda tensor: tensor.nbytes / 1024)

def Other(*given, **named):
    print(mg.alive(), [one.kilobytes for one in given if mg.is_tensor(one)])
    return own(*given, **named)
""",
    "one that asks how large the process is": """
import psutil

def Other(*given, **named):
    before = psutil.Process().memory_info().rss
    found = own(*given, **named)
    print(psutil.Process().memory_info().rss - before, psutil.virtual_memory().free)
    return found
""",
    "one that prints arrays": """
import numpy as np

def Other(*given, **named):
    many = [np.broadcast_to(0.0, (7, 11, 13))] * 20
    print(many, [many])
    for kind in float, complex, int, bool, object:
        for shape in (5,), (16,), (4, 4, 4), (2,) * 9, (1, 500):
            print(np.broadcast_to(kind(), shape), [np.broadcast_to(kind(), shape)])
    return own(*given, **named)
""",
}


RINGS = {("one in an event loop", "all_or_nothing")}  # the loop's error and frames hold its copies


def functions():
    """The right answers that are functions."""
    for path in sorted((TESTS / "answers").glob("*.py")):
        for one in planted.read(path, path.stem):
            names = {getattr(part, "name", "") for part in ast.parse(one.source).body}
            if one.kind == "style" and one.exercise in names and one.exercise.islower():
                yield one


def test_an_answer_may_be_called_in_any_way(grader, request):
    every = [(one, form) for one in functions() for form in FORMS]
    every = [(one, form) for one, form in every if (form, one.exercise) not in RINGS]
    for one, form in drawn(every, request):
        id = one.exercise
        other = re.sub(r"\bown\b", f"own_{id}", FORMS[form])
        source = f"{one.source}\nown_{id} = {id}\n{other}\n{id} = Other\n"
        answer = Submitted(f"{form}: {one}", ((id, source),))
        prints = form.startswith("one ")  # what it leaves or is told, each time
        assert not (how := wrong(grader, answer, prints)), (SEED, answer.name, how)


def test_there_are_ten_kinds_of_attacks_of_which_each_has_five():
    kinds = Counter(attack.name.partition("_")[0] for attack in hostile())
    assert sum(count >= 5 for count in kinds.values()) >= 10
