"""Whatever can be called in our packages, and whatever can be made of it: what a learner can reach.

Functions and classes wherever they are kept (a table, a closure, a default, another function's
code), methods of classes and of what they make, and what a function gives for small numbers.
"""

import gc
import importlib
import inspect
import pkgutil
import types
from dataclasses import dataclass
from typing import Any

from reach_guard import in_copies

PACKAGES = "minigrad", "whoholds", "course"
NEEDS = {"course.build.nbgrader_stubs": "nbgrader"}  # modules that import only beside this
NUMBERS = (), (1,), (2,), (3,), (1, 2), (3, 3, 3)
SECONDS = 5  # for a function to give something, on a loaded machine too


@dataclass(frozen=True)
class Found:
    """Something to call, made anew where it is to be tried."""

    name: str
    source: Any
    numbers: tuple | None = None  # what it is called with first
    part: str = ""  # the attribute of what comes then

    def make(self):
        made = self.source if self.numbers is None else self.source(*self.numbers)
        return getattr(made, self.part) if self.part else made


def load():
    """Import every module of our packages; the names of those that cannot be."""
    without = []
    for package in PACKAGES:
        top = importlib.import_module(package)
        for module in pkgutil.walk_packages(top.__path__, f"{package}."):
            if module.name.rpartition(".")[2] == "__main__":
                continue
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as error:
                lacking = (error.name or "").partition(".")[0]
                if lacking not in ("torch", NEEDS.get(module.name)):  # it may be missing
                    raise
                without.append(module.name)
    return without


def plain():
    """Every function and class of ours that is alive, and functions inside the code of others."""
    alive = [one for one in gc.get_objects() if _is_ours(one)]
    found = {}
    for one in alive:
        for each in (one, *_inside(one)):
            found.setdefault(_key(each), Found(_name(each), each))
    return sorted(found.values(), key=lambda one: one.name)


def methods(ones):
    """What can be called as an attribute of a class, without an instance."""
    for one in ones:
        if isinstance(one.source, type):
            names = [n for n in _names(one.source) if not _is_plain(one.source, n)]
            for name in names:
                yield Found(f"{one.name}.{name}", getattr(one.source, name))


def made(ones):
    """What can be called of that which these give when called with small numbers.

    Of all that gives an instance of one class the first will do.
    """
    calls = [(one, numbers) for one in ones for numbers in NUMBERS if _takes(one.source, numbers)]
    seen = set()
    for (one, numbers), gave in in_copies(calls, _given, SECONDS):
        kind, parts = gave or ("", ())
        if kind not in seen:
            text = f"{one.name}({', '.join(map(str, numbers))})"
            for part in parts:
                yield Found(f"{text}.{part}".rstrip("."), one.source, numbers, part)
        if kind not in FUNCTIONS:
            seen.add(kind)


FUNCTIONS = "function", "builtin_function_or_method", "method"


def _given(call):
    """(the class of what a call gives, its attributes that can be called); "" is it itself."""
    one, numbers = call
    try:
        gave = one.source(*numbers)
        kind = type(gave).__name__
        if kind in FUNCTIONS:
            return kind, [""]
        if isinstance(gave, type) or _module(type(gave)) not in PACKAGES:
            return kind, []
        own = [name for name in _names(gave) if name in vars(type(gave))]  # its parents have theirs
        return f"{type(gave).__module__}.{kind}", [""] * callable(gave) + own
    except BaseException:
        return None


def _names(thing):
    """The public attributes that can be called."""
    return [n for n in dir(thing) if n[0] != "_" and callable(getattr(thing, n, None))]


def _is_plain(owner, name):
    return isinstance(getattr(owner, name), types.FunctionType)  # alive, so it is found anyway


def _is_ours(one):
    kind = type(one)
    is_code = kind is types.FunctionType or issubclass(kind, type)
    return is_code and _module(one) in PACKAGES


def _module(one):
    name = getattr(one, "__module__", "")
    return name.partition(".")[0] if isinstance(name, str) else ""


def _inside(one):
    """Functions that a function would make, where they need none of its names."""
    if type(one) is types.FunctionType:
        for code in _codes(one.__code__):
            if not code.co_freevars:
                made = types.FunctionType(code, one.__globals__)
                made.__module__, made.__qualname__ = one.__module__, code.co_qualname
                yield made


def _codes(code):
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType) and inner.co_name not in SMALL:
            yield inner
            yield from _codes(inner)


SMALL = "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"


def _key(one):
    if isinstance(one, type):
        return id(one)
    cells = tuple(id(cell) for cell in one.__closure__ or ())
    return one.__code__, cells, repr(one.__defaults__)


def _name(one):
    code = getattr(one, "__code__", None)
    line = f", line {code.co_firstlineno}" if code and "<" in one.__qualname__ else ""
    return f"{one.__module__}.{one.__qualname__}{line}"


def _takes(function, arguments):
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True
