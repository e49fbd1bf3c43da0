"""What is run for one exercise: the course's set-up, the statements it needs, the answer's cell.

Whoever wrote a helper in a cell of their own finds it here, whoever wrote a demo that never ends
does not: only statements that bind a name which the answer reads, directly or by way of another
such statement, are taken, on their own rows. Nothing is run here.
"""

import ast
from dataclasses import dataclass
from functools import lru_cache

from course.build.names import definitions_and_uses
from course.classroom import magics
from course.classroom.magics import NotPython
from course.classroom.notebook import MOST_CELLS
from course.sandbox import SETUP


@dataclass(frozen=True)
class Statement:
    """One statement of a cell's top level; `row` counts from 0."""

    row: int
    text: str
    makes: frozenset  # names that it binds
    changes: frozenset  # names of things that it changes
    reads: frozenset
    anew: bool  # it is a def, a class, an import or a lambda with a name

    @property
    def serves(self):
        return self.makes | self.changes


def cells_for(notebook, exercise, setup):
    """(what to run, as [{"name", "source"}], notes) for one exercise of a learner's notebook."""
    answers = _answers(notebook, exercise)
    if not answers:
        return [], [f"no cell defines {exercise}()"]
    answer = answers[-1]
    notes = []
    if len(answers) > 1:
        notes = [f"{len(answers)} cells define {exercise}(); the last one counted"]
    extra, wanting = _extra(notebook, answer, setup)
    cells = [{"name": SETUP, "source": _plain(setup)}, *extra]
    cells += [{"name": answer.name, "source": _plain(answer.source)}]
    return cells, notes + _complaints(notebook, answer, wanting)


def setup_of(notebook):
    """The source of the set-up cell: the first that runs and belongs to no exercise."""
    return next((cell.source for cell in notebook.code if not cell.role), "")


def unwritten(notebook, stubs):
    """Those of the exercises {id: stub} for which there is no answer but the stub."""
    found = {id: _answers(notebook, id) for id in stubs}
    return [id for id, cells in found.items() if not cells or _same(cells[-1].source, stubs[id])]


def _same(one, other):
    return one.split() == other.split()


def defined(notebook):
    """All names that the code cells of a notebook define."""
    return set().union(*(_made(cell) for cell in notebook.code))


def _answers(notebook, exercise):
    """The cells that define the exercise's name, or are meant to and cannot be read.

    `freed = freed(x)` in a cell for trying things out is no answer where a `def` is one.
    """
    meant = [c for c in notebook.code if c.exercise == exercise and c.role == "answer"]
    broken = {id(cell) for cell in meant if _broken(cell)}
    for anew in True, False:
        found = [c for c in notebook.code if id(c) in broken or exercise in _made(c, anew)]
        if found:
            return found
    return []


def _made(cell, anew=False):
    """The names that a cell makes, or makes anew."""
    return {name for s in _statements_of(cell) if s.anew or not anew for name in s.makes}


def _plain(source):
    """What is run: without magics and without check(...). Broken code stays, and fails there."""
    try:
        return _analysed(source)[0]
    except NotPython:
        return source


# --- the statements that an answer needs ---------------------------------------------------


def _extra(notebook, answer, setup):
    """(the learner's other cells cut down to what the answer needs, names that nobody makes)."""
    given = {name for statement in _statements(setup) for name in statement.makes}
    others = {cell: _statements_of(cell) for cell in notebook.code if cell is not answer}
    taken, wanting = _needed(
        _statements_of(answer), [s for own in others.values() for s in own], given
    )
    kept = {cell: [s for s in own if id(s) in taken] for cell, own in others.items()}
    cells = [
        {"name": cell.name, "source": _on_their_rows(own)} for cell, own in kept.items() if own
    ]
    return cells, wanting


def _needed(answer, others, given):
    """(ids of the statements that bind what is read, names that no statement binds)."""
    makers: dict = {}
    for statement in others:
        for name in statement.serves:
            makers.setdefault(name, []).append(statement)
    own = {name for statement in answer if statement.anew for name in statement.makes}
    to_find = [name for statement in answer for name in statement.reads]
    seen, taken = own | given, {id(statement) for statement in makers.get("*", ())}
    while to_find:
        name = to_find.pop()
        if name not in seen:
            seen.add(name)
            taken |= {id(maker) for maker in makers.get(name, ())}
            to_find += [read for maker in makers.get(name, ()) for read in maker.reads]
    return taken, seen - set(makers) - given - {n for s in answer for n in s.makes}


def _on_their_rows(statements):
    """Their text with every other row blank, so that line numbers stay true."""
    rows: list[str] = []
    for statement in statements:
        rows += [""] * (statement.row + 1 - len(rows))
        first, *rest = statement.text.split("\n")
        rows[-1] = f"{rows[-1]}; {first}" if rows[-1] else first
        rows += rest
    return "\n".join(rows)


# --- the statements of a cell --------------------------------------------------------------


def _statements_of(cell):
    return _statements(cell.source)


def _statements(source):
    try:
        return _analysed(source)[1]
    except NotPython:
        return ()


def _broken(cell):
    try:
        _analysed(cell.source)
    except NotPython as error:
        return error
    return None


@lru_cache(maxsize=2 * MOST_CELLS)
def _remembered(source):
    """(plain source, statements), or the error; a notebook's cells serve all its exercises."""
    try:
        plain, tree = _without_checks(*magics.parse(source))
        rows = plain.split("\n")
        return plain, tuple(_statement(node, rows) for node in tree.body)
    except NotPython as error:
        return error
    except magics.BROKEN:
        return NotPython("is nested too deeply to be read")


def _analysed(source):
    found = _remembered(source)
    if isinstance(found, NotPython):
        raise found.with_traceback(None)
    return found


def _statement(node, rows):
    row, text = _span(node, rows)
    with magics.quiet():
        made, read = definitions_and_uses(text)
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        made = {"*"}
    return Statement(row, text, frozenset(made), _changed(node), frozenset(read), _is_anew(node))


def _is_anew(node):
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return isinstance(node.value, ast.Lambda)
    definitions = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom
    return isinstance(node, definitions)


def _span(node, rows):
    """(row counted from 0, text) of a statement with its decorators."""
    decorators = getattr(node, "decorator_list", [])
    start = min([node.lineno, *(part.lineno for part in decorators)]) - 1
    begin = 0 if decorators else node.col_offset
    lines = [row.encode() for row in rows[start : node.end_lineno]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][begin:]
    return start, b"\n".join(lines).decode()


def _changed(node):
    """`table`, `Net` and `seen` of `table[0] = 1`, `Net.forward = f` and `seen.add(1)`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        parts = [node.value.func]
    else:
        parts = getattr(node, "targets", [getattr(node, "target", None)])
    changed = [part for part in parts if isinstance(part, (ast.Attribute, ast.Subscript))]
    return frozenset(filter(None, map(_root, changed)))


def _root(node):
    """`a` of `a.b[0].c`, or ""."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


# --- what does nothing here ----------------------------------------------------------------


def _without_checks(plain, tree):
    """The cell with None in the place of each statement `check(...)`."""
    calls = [node for node in tree.body if _is_check(node)]
    if not calls:
        return plain, tree
    rows = plain.split("\n")
    for node in reversed(calls):
        _blank(node, rows)
    return magics.parse("\n".join(rows))


def _is_check(node):
    called = getattr(getattr(node, "value", None), "func", None)
    return isinstance(node, ast.Expr) and getattr(called, "id", None) == "check"


def _blank(node, rows):
    """Put None in the place of a statement; as many rows as before."""
    first, last = node.lineno - 1, node.end_lineno - 1
    head = rows[first].encode()[: node.col_offset]
    tail = rows[last].encode()[node.end_col_offset :]
    rows[first : last + 1] = [(head + b"None" + tail).decode()] + [""] * (last - first)


# --- what the learner is told --------------------------------------------------------------


def _complaints(notebook, answer, wanting):
    """A sentence for an answer that is not Python, or for cells whose names it lacks."""
    if _broken(answer):
        return [_sentence(answer)]
    broken = [c for c in notebook.code if _broken(c) and any(n in c.source for n in wanting)]
    return [f"{_sentence(cell)}, so it was left out" for cell in broken]


def _sentence(cell):
    error = _broken(cell)
    place = f", line {error.line}:" if error.line else ""
    return f"{cell.name}{place} {error}"
