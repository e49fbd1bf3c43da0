"""The shape of a program: what stays if it is renamed, commented and broken into other lines.

Its syntax tree as a row of words, each with the line that it stands on. A name that the program
makes itself is any name; a constant is of its kind; docstrings, comments, imports and annotations
are nothing. Nothing is run here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice

from course.classroom import magics

LARGEST = 12_000  # characters of a cell; what is longer is not compared
MOST_WORDS = 1500  # of a cell, from its top
OWN = "own"  # what stands for a name of the program's own
Word = tuple[str, int]  # and its line
Cells = tuple[str, ...]  # the sources of an answer
Runs = frozenset[tuple[str, ...]]
RUN = 6  # words
SILENT = (ast.expr_context, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Pass)
NOT_COMPARED = {"annotation", "returns", "type_comment", "type_params", "kind", "type_ignores"}


class Unreadable(Exception):
    """Not Python, or too long to be compared."""


@lru_cache(maxsize=256)
def words(source: str) -> tuple[Word, ...]:
    """The program's words in the order of its tree. Raises Unreadable."""
    return tuple(islice(_words(*_parsed(source)), MOST_WORDS))


@lru_cache(maxsize=256)
def pieces(source: str) -> tuple[tuple[str, ...], ...]:
    """The words of each statement, in no order: what stays if statements change places, too.

    What is made counts, not the name that it gets, so `x = f(); return x` is `return f()`. Raises
    Unreadable.
    """
    found: dict[int, list[str]] = {}
    for word, piece in islice(_in_pieces(*_parsed(source)), MOST_WORDS):
        found.setdefault(piece, []).append(word)
    return tuple(sorted(tuple(own) for own in found.values() if own != [OWN]))


def runs(cells: Cells) -> Runs:
    """All runs of words of an answer; of what cannot be read there are none."""
    found: set[tuple[str, ...]] = set()
    for own in map(read, cells):
        said = [word for word, _ in own]
        found.update(zip(*(said[start:] for start in range(RUN)), strict=False))
    return frozenset(found)


def read(cell: str) -> tuple[Word, ...]:
    try:
        return words(cell)
    except Unreadable:
        return ()


def whole(cells: Cells) -> tuple[tuple[str, ...], ...]:
    """The statements of an answer, in whatever order they stand; of what cannot be read, none."""
    found: list[tuple[str, ...]] = []
    for cell in cells:
        with suppress(Unreadable):
            found += pieces(cell)
    return tuple(sorted(found))


def lines(cell: str, shared: Runs | set[tuple[str, ...]]) -> set[int]:
    """The lines of a cell on which a word of these runs stands."""
    own, found = read(cell), set()
    for start in range(len(own) - RUN + 1):
        piece = own[start : start + RUN]
        if tuple(word for word, _ in piece) in shared:
            found |= {line for _, line in piece}
    return found


@lru_cache(maxsize=8)  # who asks for the words asks for the pieces next
def _parsed(source: str) -> tuple[ast.Module, set[str], dict[str, str]]:
    """The tree, and its `_names`."""
    if len(source) > LARGEST:
        raise Unreadable
    try:
        with magics.quiet():
            tree = ast.parse(source)
    except magics.BROKEN:
        tree = _without_magics(source)
    return tree, *_names(tree)


def _without_magics(source: str) -> ast.Module:
    try:
        return magics.parse(source)[1]
    except (magics.NotPython, *magics.BROKEN):
        raise Unreadable from None


def _words(tree: ast.AST, own: set[str], modules: dict[str, str]) -> Iterator[Word]:
    """Of all nodes, a node before its parts. A deep tree is no deep recursion."""
    line, stack = 1, [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, SILENT) or _says_nothing(node):
            continue
        line = getattr(node, "lineno", line)
        yield sys.intern(_word(node, own, modules)), line
        stack += reversed(list(_parts(node)))


def _in_pieces(tree: ast.AST, own: set[str], modules: dict[str, str]) -> Iterator[tuple[str, int]]:
    """The words, each with the number of its statement."""
    stack, count = [(tree, 0)], 0
    while stack:
        node, piece = stack.pop()
        if isinstance(node, SILENT) or _says_nothing(node):
            continue
        if isinstance(node, ast.stmt):
            count += 1
            node, piece = _made(node), count
        yield sys.intern(_word(node, own, modules)), piece
        stack += reversed([(part, piece) for part in _parts(node)])


def _made(node: ast.stmt) -> ast.AST:
    """What a statement names or returns; any other statement is itself."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.value if len(node.targets) == 1 else node
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.value or node
    return (node.value or node) if isinstance(node, ast.Return) else node


def _says_nothing(node: ast.AST) -> bool:
    """A docstring, or another constant that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name not in NOT_COMPARED:
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield part


def _word(node: ast.AST, own: set[str], modules: dict[str, str]) -> str:
    if isinstance(node, ast.Name):
        return OWN if node.id in own else modules.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f".{OWN if f'.{node.attr}' in own else node.attr}"
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.keyword):
        return f"{OWN if node.arg in own else node.arg}="
    if isinstance(node, ast.AnnAssign):
        return ast.Assign.__name__
    return type(node).__name__


def _names(tree: ast.AST) -> tuple[set[str], dict[str, str]]:
    """(names that the program makes, {name: module} of what it imports under a name).

    An attribute that it makes stands there with its dot: a variable `mean` is no `.mean`.
    """
    own: set[str] = set()
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            own.add(node.id if isinstance(node, ast.Name) else f".{node.attr}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.add(node.name)
            own |= {f".{name}" for name in _members(node)}
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            own.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
    return own, modules


def _members(node: ast.AST) -> Iterator[str]:
    """What a class has by its own text."""
    for row in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(row, ast.FunctionDef | ast.AsyncFunctionDef):
            yield row.name
        elif isinstance(row, ast.Assign):
            yield from (target.id for target in row.targets if isinstance(target, ast.Name))
