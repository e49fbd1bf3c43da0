"""What a cell's Python text says before it runs: its syntax, its names, its predictions."""

import ast
import builtins
import symtable
from functools import cache, lru_cache

from IPython.core.inputtransformer2 import TransformerManager

BUILTIN = set(dir(builtins)) | {"__name__", "display", "get_ipython", "In", "Out", "_", "__"}


class SyntaxAt(ValueError):
    """A cell that is not Python; `row` counts from 1 inside the cell."""

    def __init__(self, sentence, row):
        super().__init__(sentence)
        self.row = row


def parse(source, plain=False):
    """The cell's syntax tree; IPython's magics are allowed unless it must be plain Python."""
    try:
        return ast.parse(source if plain else python(source))
    except SyntaxError as error:
        hint = "; a twin cell has no magics" if plain and _has_magic(source) else ""
        raise SyntaxAt(f"not Python: {error.msg}{hint}", error.lineno or 1) from None


@lru_cache(5000)  # all cells of all lessons: what reads one lesson reads its neighbours, too
def python(source):
    """The cell as IPython hands it on, its magics as calls."""
    return TransformerManager().transform_cell(source)


def _has_magic(source):
    return any(line.lstrip().startswith(("%", "!", "?")) for line in source.splitlines())


@cache  # asked for by each count of a lesson, and there are hundreds
def predictions(source):
    """{id: its call's syntax tree} of the `predict("id", ...)` calls in a cell, to be read only."""
    try:
        tree = parse(source)
    except SyntaxAt:
        return {}
    return {
        call.args[0].value: call
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and _called(call.func) == "predict"
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def only_predictions(source):
    """Whether the cell is nothing but cards, so that its source spoils them and shows nothing."""
    cards = list(predictions(source).values())
    return bool(cards) and all(
        isinstance(node, ast.Expr) and any(node.value.lineno == card.lineno for card in cards)
        for node in parse(source).body
    )


def _called(function):
    return getattr(function, "attr", getattr(function, "id", None))


@lru_cache(5000)
def definitions_and_uses(source):
    """(names bound at the cell's top level, {global name it reads: row of the first read}).

    To be read only.
    """
    defined: set = set()
    read: set = set()
    _scan(symtable.symtable(source, "cell", "exec"), defined, read)
    rows: dict = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in read:
            rows[node.id] = min(node.lineno, rows.get(node.id, node.lineno))
    return defined, {name: rows.get(name, 1) for name in sorted(read - BUILTIN)}


def _scan(table, defined, read):
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if not (top or symbol.is_global()):
            continue
        if symbol.is_assigned() or symbol.is_imported():
            defined.add(symbol.get_name())
        if symbol.is_referenced():
            read.add(symbol.get_name())
    for child in table.get_children():
        _scan(child, defined, read)
