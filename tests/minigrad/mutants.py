"""A mutant is the engine with one place broken: where it frees, saves, counts versions or bytes.

The places come from the syntax tree, so a new line of these kinds is broken too, however it is
laid out, and so are the templates from which code is made. mutations.py says what is a place, and
how it is broken.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.minigrad.mutations import OPERATORS, Place
from tests.minigrad.templates import templates

# What these do is no concern of the ledger: words, looks, names, lists of modules and of samples,
# checks of what the user gives. The
# cards, the budgets and the tables of what is saved have ledgers, and tests, of their own.
OUTSIDE = {
    "autograd/gradcheck.py", "core/backend.py", "core/dtypes.py", "ops/checks.py",
    "ops/creation.py", "ops/numbers.py", "ops/printing.py", "ops/shapes.py", "cuda.py", "gpu",
    "memory", "missing",
    "nn/checks.py", "nn/containers.py", "replay/guards.py", "replay/tape.py", "utils/data.py",
}  # fmt: skip
TEMPLATES = "core/generate.py"
UNSEEN = "annotation", "returns", "exc"  # nobody runs the first two; and an error's words


class Mutant(NamedTuple):
    file: str
    line: int
    operator: str
    function: str
    statement: str  # the innermost statement, of a compound one its first line, as Python writes it
    new: str  # what takes the place
    text: str  # the whole file, broken

    @property
    def key(self) -> tuple:
        """What it is, wherever it stands."""
        return self.function, self.statement, self.new


def mutants(engine: Path) -> list:
    """Every mutant of every file that is not OUTSIDE; the same text never twice."""
    found: dict = {}
    for name, text in files(engine):
        tree = ast.parse(text)
        for place, operator, new in [*code(tree), *(generated(tree) if name == TEMPLATES else ())]:
            mutant = broken(name, text, place, operator, new)
            found.setdefault((name, mutant.text), mutant)
    return list(found.values())


def code(tree, function="") -> Iterator[tuple]:
    """(place, operator, what takes the place) for every way to break what a tree holds."""
    for place in places(tree, function):
        for operator in OPERATORS:
            for new in operator(place):
                yield place, operator.__name__, new


def generated(tree) -> Iterator[tuple]:
    """The same for the templates in it."""
    for template in templates(tree):
        for place, operator, new in code(template.tree, template.name):
            yield place, operator, template.written(new)


def files(engine: Path):
    for path in sorted(engine.rglob("*.py")):
        name = path.relative_to(engine)
        if not OUTSIDE & {name.as_posix(), *map(Path.as_posix, name.parents)}:
            yield name.as_posix(), path.read_text()


def places(tree, function="", statement=None, shared=frozenset()) -> Iterator[Place]:
    """Every statement and expression below `tree`, from the top down."""
    for node in children(tree):
        within = node if isinstance(node, ast.stmt) else statement
        if within is not None and hasattr(node, "lineno"):
            yield Place(node, function, within, shared)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield from places(node, f"{function}.{node.name}".lstrip("."), within, globals_of(node))
        else:
            yield from places(node, function, within, shared)


def children(tree):
    for field, value in ast.iter_fields(tree):
        if field not in UNSEEN:
            yield from (n for n in (value if isinstance(value, list) else [value]) if is_node(n))


def is_node(thing) -> bool:
    return isinstance(thing, ast.AST)


def globals_of(function) -> frozenset:
    found = [node.names for node in ast.walk(function) if isinstance(node, ast.Global)]
    return frozenset(name for names in found for name in names)


def broken(file, text, place, operator, new) -> Mutant:
    node, statement = place.node, ast.unparse(place.statement).splitlines()[0]
    whole = replaced(text, node, new if isinstance(node, ast.stmt) else f"({new})")
    return Mutant(file, node.lineno, operator, place.function, statement, new, whole)


def replaced(text: str, node, new: str) -> str:
    """The text with `new` in the node's place; what follows stays on its lines."""
    lines = text.encode().splitlines(keepends=True)  # the tree counts columns in bytes
    first, last = lines[node.lineno - 1], lines[node.end_lineno - 1]
    line = first[: node.col_offset] + new.encode() + last[node.end_col_offset :]
    line += b"\n" * (node.end_lineno - node.lineno)
    return b"".join([*lines[: node.lineno - 1], line, *lines[node.end_lineno :]]).decode()
