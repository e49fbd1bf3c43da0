"""A snippet announces each of its statements before it runs it.

`compile_snippet` puts a call of `__tick__(line, begins)` before every statement, in loops and
functions too; before the first of a function a call begins. The head of a loop is told again after
each turn, that of a `with` after its block (`begins` is None), and where a call is over, or a
generator waits, `__left__`. Line numbers and tracebacks stay those of the snippet. It refuses to
know tensors.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import sys
from dataclasses import dataclass
from typing import Any

from whoholds.step.calls import Calls

TICK, LEFT, WAITS, GOES_ON = "__tick__", "__left__", "__waits__", "__goes_on__"
STEP_LIMIT = 20_000
_numbers = itertools.count(1)
_running: list = []  # the runs under way, the innermost last
CALLED = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef  # each run of theirs is a call
LOOPS = ast.For, ast.AsyncFor, ast.While
WITH = ast.With, ast.AsyncWith
WAITING = ast.Yield, ast.YieldFrom, ast.Await


class StepLimit(BaseException):
    """The snippet went on and on. Not an Exception: the snippet's own `except` must not stop it."""


@dataclass
class Snippet:
    """A compiled snippet: `names` are those it assigns or reads."""

    code: Any
    names: set
    source: str
    filename: str


def compile_snippet(source: str, mapped: str | None = None) -> Snippet:
    """Compile `source` with its ticks; SyntaxError as Python words it.

    With `mapped="minigrad"`, imports of torch in the snippet bring minigrad.
    """
    filename = f"<step {next(_numbers)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)  # for tracebacks
    tree = ast.parse(source, filename)
    names = names_of(tree)
    if mapped:
        tree = _MapImports(mapped).visit(tree)
    add_ticks(_TellWaiting().visit(tree))
    tree.body.insert(_after_futures(tree.body), _tick(ast.Pass(lineno=0, col_offset=0)))
    code = compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)
    return Snippet(code, names, source, filename)


def names_of(tree) -> set:
    """Every variable that the tree assigns or reads, arguments of its functions included."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return names


def assigned_first(source: str) -> set:
    """Names that the snippet itself gives a value to before it mentions them in any other way."""
    mentioned: set = set()
    found: set = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign):
            bound = {name for target in statement.targets for name in _plain(target)}
            found |= bound - mentioned - names_of(statement.value)
        mentioned |= names_of(statement)
    return found


def _plain(target) -> set:
    """The names of `a = ...` and `a, b = ...`; nothing of `a.grad = ...` or `a[0] = ...`."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def add_ticks(tree) -> None:
    """Put a tick before each statement of every block."""
    nodes = list(ast.walk(tree))
    waiting = _in_generators(nodes)
    goes_on: dict = {}  # the loop that a `continue` is of
    for loop in (node for node in nodes if isinstance(node, LOOPS)):  # the outer ones first
        inside = (one for part in loop.body for one in ast.walk(part))
        goes_on |= {one: loop for one in inside if isinstance(one, ast.Continue)}
    for node in nodes:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):  # the body of a lambda is an expression
                begins = field == "body" and isinstance(node, CALLED)
                ticked = _ticked(block, _documented(node, field), begins, goes_on)
                setattr(node, field, ticked)
    for node in nodes:
        if isinstance(node, LOOPS):
            node.body.append(_tick(node, None))
        if isinstance(node, WITH):
            _at_the_end(node, _tick(node, None), node in waiting)
        if isinstance(node, CALLED):
            left = ast.copy_location(ast.Expr(_call(LEFT, [], node)), node)
            _at_the_end(node, left, node in waiting)


def _in_generators(nodes) -> set:
    """What may run when a generator is closed, be it after all names are gone."""
    made = [{node, *_own(node)} for node in nodes if isinstance(node, CALLED)]
    return {one for part in made if any(isinstance(n, WAITING) for n in part) for one in part}


def _own(node):
    """The nodes in a function, but for those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*CALLED, ast.Lambda)):
            yield child
            yield from _own(child)


def _at_the_end(node, told, waits) -> None:
    """However the body is left, it is told; a docstring stays first."""
    first = int(_documented(node, "body"))
    if waits:
        node.body.append(told)
    elif rest := node.body[first:]:
        node.body[first:] = [ast.copy_location(ast.Try(rest, [], [], [told]), node)]


def _documented(node, field) -> bool:
    kinds = (ast.Module, *CALLED)
    return field == "body" and isinstance(node, kinds) and ast.get_docstring(node) is not None


def _ticked(block, has_docstring: bool, begins: bool, goes_on: dict) -> list:
    """The block with its ticks; a docstring and `from __future__` have to stay first."""
    result = []
    for i, statement in enumerate(block):
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not future and not (has_docstring and i == 0):
            result.append(_tick(statement, begins and i == has_docstring))
        if statement in goes_on:
            result.append(_tick(goes_on[statement], None))
        result.append(statement)
    return result


def _after_futures(block) -> int:
    """Where the first tick may stand, the one of line 0: it shows the run its frame."""
    futures = [i for i, s in enumerate(block) if getattr(s, "module", None) == "__future__"]
    return futures[-1] + 1 if futures else 0


def _tick(statement, begins: bool | None = False) -> ast.Expr:
    given: list[ast.expr] = [ast.Constant(statement.lineno), ast.Constant(begins)]
    return ast.copy_location(ast.Expr(_call(TICK, given, statement)), statement)


def _call(name, given, where) -> ast.Call:
    """A call, on one line: a statement may span several."""
    call = ast.Call(ast.Name(name, ast.Load()), given, [])
    for part in call, call.func, *(one for one in given if isinstance(one, ast.Constant)):
        ast.copy_location(part, where)
        part.end_lineno = getattr(part, "lineno", None)
    return call


class _TellWaiting(ast.NodeTransformer):
    """`x = yield y` -> `x = __goes_on__((yield __waits__(y)))`."""

    def visit_Yield(self, node):
        self.generic_visit(node)
        given = node.value or ast.copy_location(ast.Constant(None), node)
        waits = ast.copy_location(ast.Yield(_call(WAITS, [given], node)), node)
        return _call(GOES_ON, [waits], node)


class _MapImports(ast.NodeTransformer):
    """`import torch.nn as nn` -> `import minigrad.nn as nn`; what other modules import stays."""

    def __init__(self, engine: str):
        self.engine = engine

    def _new(self, name: str) -> str | None:
        head, dot, rest = name.partition(".")
        return self.engine + dot + rest if head == "torch" else None

    def visit_Import(self, node):
        aliases = []
        for alias in node.names:
            new = self._new(alias.name)
            aliases.append(ast.alias(new or alias.name, alias.asname))
            if new and not alias.asname:  # `import torch.nn` binds the name torch
                aliases[-1].asname = "torch" if "." not in new else f"__{new.replace('.', '_')}"
                if "." in new:
                    aliases.append(ast.alias(self.engine, "torch"))
        return ast.copy_location(ast.Import(aliases), node)

    def visit_ImportFrom(self, node):
        if node.level == 0 and node.module:
            node.module = self._new(node.module) or node.module
        return node


class Run:
    """One execution of a snippet: passes its ticks on to the recorder, up to the limit.

    The recorder begins with the first tick, which shows it the frame of the snippet.
    """

    def __init__(self, new_recorder, limit: int = STEP_LIMIT):
        self.new_recorder, self.limit, self.ticks = new_recorder, limit, 0
        self.recorder: Any = None
        self.calls: Any = None

    def tick(self, line: int, frame, begins: bool | None = False) -> None:
        if line == 0:
            self.calls = Calls(frame)
            self.recorder = self.new_recorder(frame)
            self.recorder.__enter__()
            return
        self.ticks += begins is not None
        if self.ticks > self.limit:
            raise StepLimit(
                f"stopped after {self.limit:,} steps, on line {line}: a loop does not end, or the "
                "snippet is too long to be stepped; let it take fewer rounds"
            )
        self.calls.at(frame, line, begins)
        self.recorder.tick(line, frame, bool(begins), self.calls.now[1], begins is None)

    def left(self, frame, waits=False) -> None:
        """The call is over, or its generator waits: the line that has called goes on."""
        self.calls.leave(frame, waits)
        self.recorder.back(*self.calls.now)

    def goes_on(self, frame) -> None:
        self.calls.resume(frame)
        self.recorder.back(*self.calls.now)

    def execute(self, snippet: Snippet, namespace: dict) -> BaseException | None:
        """Run the snippet in the namespace; the exception that ended it, if one did."""
        namespace.update(TOLD)  # they stay: functions of the snippet may be called by later cells
        _running.append(self)
        error = None
        try:
            exec(snippet.code, namespace)
        except BaseException as e:
            error = e
            self.recorder.error(e)
        finally:
            _running.remove(self)
            if self.recorder is not None:
                self.recorder.__exit__(type(error), error, None)
        return error


def tick(line: int, begins: bool) -> None:
    """What the snippet calls; nothing where no run is under way."""
    if _running:
        _running[-1].tick(line, sys._getframe(1), begins)


def left() -> None:
    if _running:
        _running[-1].left(sys._getframe(1))


def waits(value):
    """A generator gives out `value`."""
    if _running:
        _running[-1].left(sys._getframe(1), waits=True)
    return value


def goes_on(sent):
    """The generator is asked again."""
    if _running:
        _running[-1].goes_on(sys._getframe(1))
    return sent


TOLD = {TICK: tick, LEFT: left, WAITS: waits, GOES_ON: goes_on}
