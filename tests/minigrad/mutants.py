"""A mutant is the engine with one line broken: lines that free, save, count versions or bytes.

They come from patterns over the source, so a new line of these kinds is broken too. Two ways:
a whole statement goes (`pass` takes its place), or an edit changes part of a line.
"""

import ast
import re
from collections import namedtuple
from pathlib import Path

Mutant = namedtuple("Mutant", "file line kind text")  # text: the whole file, broken

# What these files do is no concern of the ledger: words, looks, names, checks of the user's input.
OUTSIDE = {
    "__init__.py", "core/printing.py", "core/dtypes.py", "core/shapes.py", "core/backend.py",
    "cuda.py", "creation.py", "ops/functions.py", "autograd/gradcheck.py", "autograd/__init__.py",
}  # fmt: skip

# A statement that matches one of these goes.
REMOVED = {
    "frees": r"^del |(^|= |\])[\w.\[\], ]+ = None$|\.clear\(\)$|\.release\(|^self\.saved = freed|"
    r"^_?step_aside\(|\._forsake_views\(\)$|^self\.hooks\.pop",
    "saves": r"^(node\.)?saved?\b.* = |^node\.saved\[|^entries\.append|^self\._to_save = |"
    r"\._remember_view\(|^numbers\[index\] = ",
    "counts versions": r"version \+= |\.version = |^version = ",
    "accounts": r"^live [+-]= |^peak = |^(new|self)\.bytes = |^storage\.reset_peak\(\)",
    "packs": r"packing [+-]= |saved_hooks = ",
}
# A line on which the pattern is found gets the replacement, once for each place.
EDITS = {
    "flip the check": [
        (r"version != ", "version == "),
        (r" or tensor\._detached", ""),
        (r"if tensor\._detached", "if not tensor._detached"),
        (r"\.__class__ is Freed", ".__class__ is not Freed"),
        (r"if not keep_graph", "if keep_graph"),
        (r"if live > peak", "if live < peak"),
        (r"array\.base is not None", "array.base is None"),
        (r"if self\.saved:", "if not self.saved:"),
        (r"if tensor\(\) is not None and ", "if "),
    ],
    "off by one": [
        (r"^(\s*(self\.)?version = \w+\.?\w*)$", r"\1 + 1"),
        (r"(\btensor\._storage\.version)$", r"\1 + 1"),
        (r"(\btensor\._storage\.version)(?=\))", r"\1 + 1"),
        (r"<= (_alone|_listed|_shared)", r"<= \1 + 1"),
        (r"<= (_alone|_listed|_shared)", r"<= \1 - 1"),
        (r"(new\.bytes = size = array\.nbytes)", r"\1 + 1"),
        (r"self\.bytes = 0", "self.bytes = 4"),
        (r"(live [+-]= (self\.bytes|size))", r"\1 + 1"),
    ],
    "does not let go": [
        (r"\.pop\((\w+), None\)", r".get(\1)"),
        (r"(?<=grads)\.pop\(\)", "[-1]"),
        (r"(?<=retain)\.pop\((.*)\)$", r"[\1]"),
        (r"weakref\.ref\(", "(lambda o: lambda: o)("),
        (r"weakref\.WeakSet\(\)", "set()"),
    ],
    "saves the wrong thing": [
        (r"return keep_output\((\w+)\)", r"return keep(\1)"),
        (r"(?<!def )keep_output\((\w+)\)", r"keep(\1)"),
        (r"return tensor\._share\(tensor\._array\)", "return tensor._new(tensor._array.copy())"),
        (r"wanted & bits", "True"),
        (r"clone=bool\(", "clone=not bool("),
        (r"clone=\(", "clone=not ("),
        (r"if source == OUTPUT", "if source != OUTPUT"),
        (r"plans\[wanted\]", "plans[3]"),
    ],
    "shares too much": [
        (r"only_mine\(grad\) and ", ""),
        (r"alone_in\(buffer, number\) and ", ""),
        (r" and buffer\[number\]\._array\.base is None", ""),
        (r" and _count\(buffer\[number\]\._storage\) <= _shared", ""),
        (r" and grad\._array\.flags\.c_contiguous", ""),
        (r"_share\(array\)$", "_new(array)"),
        (r"= Alias\(getattr\((\w+)\._storage, .*$", r"= book(\1._array)"),
    ],
}


def files(engine: Path):
    for path in sorted(engine.rglob("*.py")):
        name = path.relative_to(engine).as_posix()
        if name not in OUTSIDE and (name == "memory/saves.py" or not name.startswith("memory/")):
            yield name, path.read_text()


def mutants(engine: Path) -> list:
    found = []
    for name, text in files(engine):
        for maker in (without_a_statement, with_an_edit, with_more_saved):
            for line, kind, broken in maker(name, text):
                ast.parse(broken)
                found.append(Mutant(name, line, kind, broken))
    return found


def statements(text):
    """The simple statements inside functions, each with its source."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete)):
                    yield node, ast.get_source_segment(text, node)


def without_a_statement(name, text):
    lines, done = text.splitlines(keepends=True), set()
    for node, source in statements(text):
        for kind, pattern in REMOVED.items():
            if node.lineno not in done and re.search(pattern, " ".join(source.split())):
                done.add(node.lineno)
                first = lines[node.lineno - 1]
                rest = lines[node.end_lineno - 1][node.end_col_offset :]
                broken = first[: node.col_offset] + "pass" + rest
                yield (
                    node.lineno,
                    f"{kind}, removed: {source.splitlines()[0]}",
                    "".join([*lines[: node.lineno - 1], broken, *lines[node.end_lineno :]]),
                )


def code(text):
    """(index, line without its comment) of the lines that are not in a docstring."""
    inside = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.end_lineno > node.lineno:
                inside.update(range(node.lineno - 1, node.end_lineno))
    for i, line in enumerate(text.splitlines()):
        if i not in inside and not line.lstrip().startswith(("#", '"""', "def ")):
            yield i, line.split("  #")[0]


def with_an_edit(name, text):
    lines = text.splitlines(keepends=True)
    for i, line in code(text):
        for kind, edits in EDITS.items():
            for pattern, replacement in edits:
                for match in re.finditer(pattern, line):
                    new = line[: match.start()] + match.expand(replacement) + line[match.end() :]
                    broken = "".join([*lines[:i], new + "\n", *lines[i + 1 :]])
                    yield i + 1, f"{kind}: {new.strip()}", broken


def with_more_saved(name, text):
    """An op that keeps a tensor also when the gradient that needs it is not wanted."""
    lines = text.splitlines(keepends=True)
    for i, line in code(text):
        if re.match(r"\s+saves = \{.*\}$", line):
            rule = ast.literal_eval(line.partition(" = ")[2])
            inputs = set(" ".join(rule.values()).split())
            wanted = " ".join(sorted(inputs))
            for key in (k for k, v in rule.items() if set(v.split()) != inputs):
                new = line.partition(" = ")[0] + f" = {rule | {key: wanted}}"
                broken = "".join([*lines[:i], new + "\n", *lines[i + 1 :]])
                yield i + 1, f"saves {key} always", broken
