"""Hints for a person who reads a grade: what in the learner's code is unusual. Never a penalty."""

import ast
import builtins
import sys
import types

import numpy

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
EQUAL = ("__eq__", "__ne__", "__hash__")
PATCHED = ("np", "numpy", "builtins", "__builtins__", "mg", "minigrad", "course", "sys")


def of_cells(cells):
    """The sentences about all cells, each once; a cell that cannot be parsed has none."""
    found: dict[str, str] = {}
    for cell in cells:
        try:
            tree = ast.parse(cell["source"])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            line = getattr(node, "lineno", 0)
            for what in _of_node(node):
                found.setdefault(what, f"{cell['name']} line {line}: {what}")
    return list(found.values())


def _of_node(node):
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if isinstance(node.ctx, ast.Load):
            yield from filter(None, [CALLS.get(name)])
        elif isinstance(node, ast.Attribute) and _root(node) in PATCHED:
            yield f"replaces {ast.unparse(node)[:60]}"
    if isinstance(node, ast.ClassDef):
        names = [m.name for m in node.body if isinstance(m, ast.FunctionDef)]
        yield from (f"a class with its own {name}" for name in names if name in EQUAL)
    if isinstance(node, ast.Import):
        yield from _of_modules(alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        yield from _of_modules([node.module or ""])
        yield from filter(None, (CALLS.get(alias.name) for alias in node.names))


def _root(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _of_modules(names):
    for name in names:
        yield from filter(None, [MODULES.get(name.partition(".")[0])])


class Originals:
    """The functions of numpy, builtins, minigrad and grader, before a learner's code ran."""

    def __init__(self):
        self._course = list(_functions(_modules("minigrad", "course.grade", "course.cases")))
        self._others = list(_functions([builtins, numpy]))

    def tampered(self):
        """The outcome of a case after which minigrad or the grader is not as it was, or None."""
        for name in _changed(self._course):
            text = f"minigrad was changed while it ran ({name}); this case does not count"
            return {"error": "Tampered", "text": text, "line": None, "code": ""}
        return None

    def replaced(self):
        """A sentence for each function of numpy or the builtins that is another one now."""
        return [f"{name} was replaced" for name in list(_changed(self._others))[:5]]


def _changed(functions):
    for names, key, value, code, owner in functions:
        if names.get(key) is not value or (code and value.__code__ is not code):
            yield f"{owner}.{key}"


def _modules(*tops):
    found = list(sys.modules.items())
    return [m for name, m in found if any(f"{name}.".startswith(f"{top}.") for top in tops)]


def _functions(modules):
    """(names, key, function, its code, owner) of the modules and of the classes they define."""
    for module in modules:
        names = vars(module)
        for key, value in list(names.items()):
            if callable(value):
                yield names, key, value, getattr(value, "__code__", None), module.__name__
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield from _methods(value)


def _methods(cls):
    kinds = types.FunctionType, staticmethod, classmethod, property
    owner = f"{cls.__module__}.{cls.__qualname__}"
    for key, value in list(vars(cls).items()):
        if isinstance(value, kinds):
            yield vars(cls), key, value, getattr(value, "__code__", None), owner
