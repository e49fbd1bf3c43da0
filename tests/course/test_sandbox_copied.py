"""Who runs the engine's own text, which `inspect` shows, is told, in whatever disguise it is."""

import random
import re
import sys
from pathlib import Path

import guarded
import pytest
from test_sandbox_guard import SEED

import minigrad
from course.sandbox.guard import copied

CELL = """
import codeop, importlib, inspect, keyword, re, tempfile, timeit
t = inspect.getsource(sys.modules[{module!r}])
t = re.sub("^from __future__.*$", "", t, flags=re.M)
t = {disguise}
try:
    {way}
except (SyntaxError, ZeroDivisionError):
    pass
"""
DISGUISES = {
    "none": "t",
    "another package": r"re.sub(r'\bminigrad\b', 'othergrad', t)",
    "another indentation": "'if 1:\\n' + re.sub('^', '   ', t, flags=re.M)",
    "no comments": r"""re.sub(r'#.*|\"\"\"[\s\S]*?\"\"\"', '0', t)""",
    "no spaces": "re.sub(' *([-=+*/,]) *', r'\\1', t)",
    "broken lines": "t.replace('(', '(\\n')",
    "broken lines anywhere": "t.replace(' = ', ' = \\\\\\n')",
    "other ends of lines": "t.replace('\\n', '\\r')",
    "more in a line": r"re.sub(r'(?<=[\w)])$', ';pass', t, flags=re.M)",
    "other letters": "t.replace('g', '\\U0001d420').replace('u', '\\U0001d42e')",
    "an engine among other lines": "'\\n'.join(f'{one}\\n#\\nx = 1' for one in t.split('\\n'))",
    "other names": r"re.sub(r'\b[A-Za-z_]\w*\b', "
    "lambda m: m[0] + '_' * (not keyword.iskeyword(m[0])), t)",
}
PARTS = r"re.split(r'\n(?=\S)', t)"
WAYS = {
    "compile": "compile(t, 'x', 'exec')",
    "bytes": "compile(t.encode(), 'x', 'exec')",
    "exec": "exec('1/0\\n' + t)",
    "a tree": "importlib.import_module('ast').parse(t)",
    "an interpreter": "codeop.compile_command(t + '\\n', 'x', 'exec')",
    "timeit": "timeit.Timer(setup=t)",
    "parts": f"for one in {PARTS}:\n        try: compile(one, 'x', 'exec')\n"
    "        except SyntaxError: pass",
    "a file": "sys.path.insert(0, tempfile.mkdtemp())\n"
    "    open(sys.path[0] + '/own.py', 'w').write('1/0\\n' + t)\n    import own",
    "a loader": "Own = type('Own', (importlib.abc.InspectLoader,), {'get_source': 0})\n"
    "    Own().source_to_code('1/0\\n' + t, os.__file__)",
}
TOLD = re.compile(r"cell 1 line \d+: runs \d+ lines of the engine's own text")
LINES = [f"own_number_{n} = [{n}, {n} + 1, {n} + 2]" for n in range(40)]
OWN = f"t = {chr(10).join(LINES)!r}\n"
HONEST = {
    "a text of one's own": OWN + "exec(t)\nexec(compile(t, 'x', 'exec'))",
    "a tree of one's own": OWN + "import ast\nast.unparse(ast.parse(t))",
    "sources that are read": "import inspect\nfor one in (mg.nn, mg.nn.Linear, mg.ones):\n"
    "    print(inspect.getsource(one))\nhelp(mg.nn.Linear)",
    "each class's source": "import inspect\nfor one in vars(mg.nn).values():\n"
    "    if isinstance(one, type): inspect.getsource(one)",
    "dataclasses": "import dataclasses\nfor n in range(30):\n"
    "    dataclasses.make_dataclass(f'A{n}', [f'a{i}' for i in range(9)])",
    "namedtuple": "import collections\ncollections.namedtuple('A', 'b c d e f g h i j k l m n')",
    "timeit": "import timeit\ntimeit.timeit('mg.ones(2)', 'import minigrad as mg', number=2)",
    "doctest": "import doctest\ndef f():\n    '>>> 1\\n1\\n'\n"
    "doctest.run_docstring_examples(f, {})",
    "new rules": "for n in range(9):\n    a = mg.ones(n + 1, requires_grad=True)\n"
    "    (a * a).exp().sum().backward()",
    "a few lines": "exec('class A:\\n    def __init__(self, *given, **named):\\n        0')",
    "errors": "import traceback\nfor n in range(30):\n    try:\n"
    "        mg.ones(n) @ mg.ones(2, 3)\n"
    "    except RuntimeError:\n        traceback.print_exc()",
    "modules that come late": "import course.carry, course.twin.compare, whoholds.program\n"
    "import numpy.ma.core, inspect, typing, datetime, statistics, pydoc",
}  # fmt: skip


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("copied"))


def large_modules():
    """Those of the engine with so many long lines that each disguise leaves enough of them."""
    files = {n: getattr(m, "__file__", None) for n, m in list(sys.modules.items())}
    ours = {n: f for n, f in files.items() if f and n.startswith(minigrad.__name__ + ".")}
    return sorted(n for n, f in ours.items() if long_lines(Path(f)) > 2.5 * copied.MANY)


def long_lines(path):
    """How many lines have a shape."""
    return sum(len(pair) == 2 for pair in copied.marks(path.read_text("utf-8")))


def told(seen, module, disguise, way):
    source = CELL.format(module=module, disguise=DISGUISES[disguise], way=WAYS[way])
    said, failed = seen(source)
    assert len(said) == 1 and TOLD.fullmatch(said[0]), (SEED, module, disguise, way, said, failed)


@pytest.mark.parametrize("disguise", DISGUISES)
def test_who_compiles_the_engines_text_is_told_whatever_its_disguise(disguise, seen):
    rng = random.Random(f"{SEED} {disguise}")
    for _ in range(3):
        told(seen, rng.choice(large_modules()), disguise, rng.choice(["compile", "bytes"]))


@pytest.mark.parametrize("way", WAYS)
def test_who_runs_the_engines_text_is_told_whatever_the_way(way, seen):
    rng = random.Random(f"{SEED} {way}")
    told(seen, rng.choice(large_modules()), rng.choice(["none", "another package"]), way)


def test_a_text_whose_encoding_hides_it_is_told(seen):
    said, _ = seen("exec(b'# coding: utf-7\\nx = [1, 2, 3, 4]')")
    assert said == ["cell 1 line 1: runs a text in an encoding that hides what it says"]


@pytest.mark.parametrize("name", HONEST)
def test_honest_texts_are_not_told(name, seen):
    assert seen(HONEST[name]) == [[], ""]
