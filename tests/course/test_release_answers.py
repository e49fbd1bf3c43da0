"""No file of the class zip holds a solution: not its statements, not what they compile to.

Compared are runs of more than three statements, and functions of as many. A lesson that teaches
part of an answer says so in TAUGHT.
"""

import ast
import copy
import json
import textwrap
import zipfile

import pytest

from course.build.products import exercise_ids, solved
from course.build.project import Project
from course.build.regions import BEGIN, STUB, parts
from course.classroom import release
from course.trying import cases
from tests.loaded import COURSE

ROOT = Project().root
MOST = 3  # statements in a row that anybody may have written
# {(exercise, file): why}
SECTION = "the chain of section 2, whose frame these share; what is asked for is another backward"
TAUGHT = {
    ("FlatChain", "course/chains.py"): "it is to be repaired into the chain of section 2",
    ("FlatChain", "notebooks/11_reversible.ipynb"): "it is to be repaired into that chain",
    ("SwapChain", "course/chains.py"): SECTION,
    ("SwapChain", "notebooks/11_reversible.ipynb"): SECTION,
    ("reversible_golf", "course/chains.py"): SECTION,
    ("reversible_golf", "notebooks/11_reversible.ipynb"): SECTION,
    (
        "SameDice",
        "notebooks/10_checkpointing.ipynb",
    ): "section 3 puts the state back",
}


@pytest.fixture(scope="module")
def zipped(tmp_path_factory):
    """{name: source} of all code in the class zip: its files, and the cells of its notebooks."""
    path = tmp_path_factory.mktemp("class") / "class.zip"
    try:
        release.make(ROOT, path)
    except release.CannotRelease as reason:
        pytest.skip(str(reason))
    with zipfile.ZipFile(path) as made:
        found = {name: made.read(name) for name in made.namelist()}
    return {name.partition("/")[2]: list(sources(name, data)) for name, data in found.items()}


def sources(name, data):
    """What can be Python in a file: its text, its cells, the blocks of its Markdown."""
    if name.endswith(".ipynb"):
        for cell in json.loads(data)["cells"]:
            text = "".join(cell["source"])
            yield from [text] if cell["cell_type"] == "code" else fenced(text)
    elif name.endswith(".py"):
        yield data.decode()
    elif name.endswith(".md"):
        yield from fenced(data.decode())


def fenced(text):
    return text.split("```")[1::2]


def parsed(source):
    """Its tree, without lines that are for a shell; None where it is no Python."""
    lines = source.removeprefix("python").splitlines()
    plain = [line for line in lines if not line.lstrip().startswith(("%", "!", ">>>"))]
    try:
        return ast.parse(textwrap.dedent("\n".join(plain)))
    except SyntaxError:
        return None


def statements(tree, lines=None):
    """Each statement as text, in order, of a compound one its head; no docstrings, no imports.

    lines: only those that begin on one of these.
    """
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            continue
        if lines is None or node.lineno in lines:
            yield ast.unparse(_head(node)).strip()


def _head(node):
    """The statement without those inside of it."""
    fields = dict(ast.iter_fields(node))
    empty = {name: [] for name in ("body", "orelse", "finalbody", "handlers", "cases")}
    return type(node)(**fields | {name: [] for name in empty.keys() & fields.keys()}, lineno=0)


def runs(tree, lines=None):
    """All runs of MOST + 1 statements."""
    found = list(statements(tree, lines))
    return {tuple(found[at : at + MOST + 1]) for at in range(len(found) - MOST)}


def functions(tree, lines=None):
    """What the functions of more than MOST lines compile to; names of locals and texts of
    docstrings are not in it.

    lines: only those that begin before one of these, and end behind it.
    """
    wanted = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and (lines is None or {*lines} & {*range(node.lineno, node.end_lineno + 1)})
    ]
    codes = inside(compile(Bare().visit(copy.deepcopy(tree)), "", "exec"))
    return {compiled(one) for one in codes if one.co_name in wanted and _length(one) > MOST + 1}


class Bare(ast.NodeTransformer):
    """Functions and classes without their docstrings."""

    def generic_visit(self, node):
        super().generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass(lineno=node.lineno, col_offset=0)]
        return node


def inside(code):
    for one in code.co_consts:
        if hasattr(one, "co_code"):
            yield one
            yield from inside(one)


def _length(code):
    return len({line for _, _, line in code.co_lines() if line})


def compiled(code):
    consts = tuple(compiled(one) if hasattr(one, "co_code") else one for one in code.co_consts)
    return code.co_code, code.co_names, repr(consts)


@pytest.fixture(scope="module")
def answers():
    """{exercise: (tree of its solved cell, the numbers of the lines of its solution)}."""
    cells = {id: lesson.of("exercise", id)[0] for lesson in COURSE for id in exercise_ids(lesson)}
    return {id: (ast.parse(solved(cell)), {*_numbers(cell)}) for id, cell in cells.items()}


def _numbers(cell):
    kept = [
        (part, line)
        for part, lines in parts(cell.source)
        for line in lines
        if part != STUB and line.strip() != BEGIN
    ]
    return [number for number, (part, _) in enumerate(kept, 1) if part == BEGIN]


def shared(zipped, answers, of):
    """(exercise, file) where something is in both; not the notebook that hands out a part."""
    mine = {id: of(*given) for id, given in answers.items()}
    for name, texts in zipped.items():
        there = set().union(*(of(tree) for tree in map(parsed, texts) if tree))
        for id in answers:
            own = name.startswith(f"exercises/{cases.lesson_of(id)}_")
            if mine[id] & there and not own:
                yield id, name


@pytest.mark.parametrize("of", [runs, functions])
def test_nothing_of_a_solution_is_in_the_class_zip_but_what_is_taught(of, zipped, answers):
    found = {*shared(zipped, answers, of)}
    assert found <= {*TAUGHT}
    assert of is functions or found == {*TAUGHT}


@pytest.mark.parametrize("of", [runs, functions])
def test_a_solution_is_found_in_a_file_a_cell_and_a_page(of, answers):
    source = ast.unparse(answers["memory_golf"][0])
    if of is functions:
        source = source.replace("every", "evenly")
    cell = {"cell_type": "code", "source": source}
    files = {
        "a.py": f"import os\n{source}".encode(),
        "a.ipynb": json.dumps({"cells": [cell]}).encode(),
        "a.md": f"Text\n```python\n{source}\n```\n".encode(),
    }
    zipped = {name: list(sources(name, data)) for name, data in files.items()}
    assert {*shared(zipped, answers, of)} == {("memory_golf", name) for name in files}
