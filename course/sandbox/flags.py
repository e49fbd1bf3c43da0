"""Hints for a person who reads a grade: what in the learner's code is unusual. Never a penalty."""

import ast
import builtins
import itertools
import operator
import sys
import types

import numpy

from course.trying import cases

CALLS = {  # by the last name of what is called or used
    "get_ipython": "asks for IPython",
    "open": "opens a file",
    "read_text": "reads a file",
    "read_bytes": "reads a file",
    "listdir": "lists a folder",
    "scandir": "lists a folder",
    "glob": "lists a folder",
    "rglob": "lists a folder",
    "walk": "lists a folder",
    "kill": "sends a signal to a process",
    "killpg": "sends a signal to a process",
    "getppid": "looks for the process that started it",
    "fork": "starts a process",
    "Popen": "starts a process",
    "system": "starts a process",
    "_exit": "ends its own process",
    "_getframe": "looks into the frames of its callers",
    "currentframe": "looks into the frames of its callers",
    "f_back": "looks into the frames of its callers",
    "get_referrers": "looks for objects through the collector",
    "get_objects": "looks for objects through the collector",
    "settrace": "traces or profiles the grader",
    "setprofile": "traces or profiles the grader",
    "setattr": "calls setattr",
    "__setattr__": "calls setattr",
    "__closure__": "looks into another function",
    "__globals__": "looks into another function",
    "__code__": "looks into another function",
    "tb_frame": "looks into the frames of its callers",
    "modules": "asks for the modules in use",
    "__subclasses__": "looks for classes",
    "exec": "runs text as code",
    "eval": "runs text as code",
}
MODULES = {
    "subprocess": "starts a process",
    "multiprocessing": "starts a process",
    "ctypes": "reaches below Python with ctypes",
    "socket": "opens a network connection",
    "urllib": "opens a network connection",
    "importlib": "imports by hand",
    "signal": "changes the handling of signals",
    "inspect": "looks into the frames of its callers",
    "pickle": "uses pickle",
    "threading": "starts a thread",
}
PARTS = "__code__", "__defaults__", "__kwdefaults__"  # of a function
EQUAL = ("__eq__", "__ne__", "__hash__")
OURS = "minigrad", "course.trying", "course.sandbox", "course.cases"
PATCHED = ("np", "numpy", "builtins", "__builtins__", "mg", "minigrad", "whoholds", "course", "sys")


def of_cells(cells):
    """The sentences about all cells, each once; a cell that cannot be parsed has none."""
    found: dict[str, str] = {}
    for cell in cells:
        try:
            tree = ast.parse(cell["source"])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        nodes = list(ast.walk(tree))
        theirs = {*PATCHED, *(name for node in nodes for name in _imported(node))}
        for node in nodes:
            line = getattr(node, "lineno", 0)
            for what in _of_node(node, theirs):
                found.setdefault(what, f"{cell['name']} line {line}: {what}")
    return list(found.values())


def _of_node(node, theirs):
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if isinstance(node.ctx, ast.Load):
            yield from filter(None, [CALLS.get(name)])
        elif isinstance(node, ast.Attribute) and _root(node) in theirs:
            yield f"replaces {ast.unparse(node)[:60]}"
    if isinstance(node, ast.ClassDef):
        names = [m.name for m in node.body if isinstance(m, ast.FunctionDef)]
        yield from (f"a class with its own {name}" for name in names if name in EQUAL)
    if isinstance(node, ast.Import):
        yield from _of_modules(alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        yield from _of_modules([node.module or ""])
        yield from filter(None, (CALLS.get(alias.name) for alias in node.names))


def _imported(node):
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _root(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _of_modules(names):
    for name in names:
        yield from filter(None, [MODULES.get(name.partition(".")[0])])


class Originals:
    """The functions of numpy, builtins, minigrad and grader, before a learner's code ran.

    `changed` gives the names of those of minigrad and the grader that are others now, or new.
    """

    def __init__(self):
        self.changed = _watcher([*_in_modules(_modules(*OURS)), *_in_cases()])
        self._others = _watcher(_in_modules([builtins, numpy]))

    def replaced(self):
        """A sentence for each function of numpy or the builtins that is another one now."""
        return [f"{name} was replaced" for name in self._others()[:5]]


def _watcher(places):
    """A function that compares the places with what is in them now.

    All that it uses is in itself: nothing that a learner's code gives another meaning misleads it.
    It runs after every case, so a place that is as it was is compared as a whole.
    """
    places = [(*_watched(names), names, owner) for names, owner in places]
    can_be_called, module = callable, dict  # the names of a class are in another kind of mapping
    every, through, same = all, map, operator.is_
    parts_of, chained = operator.attrgetter(*PARTS), itertools.chain.from_iterable

    def changed():
        found = []
        for known, functions, keys, values, plain, parts, names, owner in places:
            if (
                names.keys() <= known
                and every(through(same, through(names.get, keys), values))
                and every(through(same, chained(through(parts_of, plain)), parts))
            ):
                continue
            for key, value, function, *before in functions:
                now = function and [
                    function.__code__, function.__defaults__, function.__kwdefaults__
                ]  # fmt: skip
                if names.get(key) is not value or (function and now != before):
                    found.append(f"{owner}.{key}")
            for key in [*names]:
                if key not in known and (
                    names.__class__ is not module or can_be_called(names[key])
                ):
                    found.append(f"{owner}.{key}")
        return found

    return changed


def _watched(names):
    """The names that are there, what can be called, and the same by kind: keys, values, parts."""
    functions = list(_functions(names))
    plain = [function for _, _, function, *_ in functions if function]
    parts = [part for _, _, function, *parts in functions if function for part in parts]
    keys, values = [key for key, *_ in functions], [value for _, value, *_ in functions]
    return frozenset(names), functions, keys, values, plain, parts


def _modules(*tops):
    found = list(sys.modules.items())
    return [m for name, m in found if any(f"{name}.".startswith(f"{top}.") for top in tops)]


def _in_modules(modules):
    """(names, owner) of the modules and of the classes that they define."""
    for module in modules:
        yield vars(module), module.__name__
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield vars(value), f"{value.__module__}.{value.__qualname__}"


def _in_cases():
    known = [case for ids in cases.exercises().values() for id in ids for case in cases.of(id)]
    return [(vars(case), f"the case {case.name}") for case in known]


def _functions(names):
    """(key, value, the function in it or None, its code and defaults) of all that can be called."""
    for key, value in list(names.items()):
        plain = getattr(value, "fget", None) or getattr(value, "__func__", value)
        if isinstance(plain, types.FunctionType):
            yield key, value, plain, plain.__code__, plain.__defaults__, plain.__kwdefaults__
        elif callable(value) or isinstance(value, property):
            yield key, value, None
