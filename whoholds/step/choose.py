"""Which engine does `%%step` take where the cell does not say? PyTorch, where only PyTorch will do.

That is where the cell uses something of the namespace that PyTorch has made, or a name under
`torch` that minigrad lacks. Only what the cell mentions is looked at, and torch is never imported
to find out. It refuses to know how either engine is recorded.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections import deque
from functools import partial
from itertools import islice
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

from whoholds import engines
from whoholds.holders.unasked import items, own_dict
from whoholds.mentioned import USING
from whoholds.step.instrument import names_of
from whoholds.step.lacking import lacking

BINDING = "STORE_NAME", "STORE_GLOBAL"
DEPTH = 3  # calls, containers and attributes that are followed
ITEMS, VALUES = 24, 500  # looked at of one container, and for one name
BECAUSE = "This cell runs on PyTorch: {}. `%%step --engine minigrad` runs it on minigrad."


def choose(source: str, namespace: dict) -> tuple[str, str]:
    """The engine for a cell that names none, and why, in one line; no word about minigrad."""
    if not engines.installed("minigrad"):
        return "torch", ""
    try:
        tree = ast.parse(source)
        code = compile(tree, "<cell>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):  # whoever runs it says so
        return "minigrad", ""
    read = {name: namespace[name] for name in read_first(code) if name in namespace}
    why = of_torch(tree, read, namespace) or only_in_torch(tree, read, namespace)
    return ("torch", BECAUSE.format(why)) if why else ("minigrad", "")


def of_torch(tree: ast.AST, read: dict, namespace: dict) -> str:
    """Why these values make it a program for PyTorch, or "": a cell's `torch` may be minigrad."""
    if not sys.modules.get("torch"):
        return ""  # then nothing can be of PyTorch
    mapped = "torch" in names_of(tree)
    for name, value in read.items():
        if "torch" in engines.of(value) and name != "torch":
            return f"`{name}` is PyTorch's"
        if "torch" in leads_to(value, namespace, mapped):
            return f"`{name}` uses PyTorch"
    return ""


def only_in_torch(tree: ast.AST, read: dict, namespace: dict) -> str:
    """Why the names under `torch` make it one, or "": not where it uses minigrad's own things."""
    modules = {name: v.__name__ for name, v in read.items() if type(v) is ModuleType}
    if modules.get("torch") == "minigrad":  # an earlier cell's `import torch`
        modules["torch"] = "torch"
    name = lacking(tree, modules)
    if not name or not engines.installed("torch"):
        return ""
    own = (leads_to(v, namespace, True) for n, v in read.items() if n != "torch")
    return "" if any("minigrad" in found for found in own) else f"minigrad has no `{name}`"


def read_first(code: CodeType) -> dict:
    """The names of the namespace that the code reads, in order: it gives them no value before."""
    bound: set = set()
    read: dict = {}
    later: dict = {}
    for step in dis.get_instructions(code):
        if step.opname in BINDING:
            bound.add(step.argval)
        elif step.opname in USING and step.argval not in bound:
            read[step.argval] = None
        elif type(step.argval) is CodeType:
            later |= read_first(step.argval)
    return read | {name: None for name in later if name not in bound}


# -- what a value leads to --


def leads_to(value, namespace: dict, mapped: bool) -> set:
    """The engines whose things can be reached from a value, breadth first, within bounds.

    No code of the program is called. `mapped`: the name `torch` of the namespace means minigrad
    while the cell runs, for the functions of the notebook too.
    """
    found: set = set()
    seen = {id(namespace): namespace}
    todo = deque([(value, 0)])
    while todo and len(seen) < VALUES:
        value, depth = todo.popleft()
        if id(value) in seen or (mapped and value is namespace.get("torch")):
            continue
        seen[id(value)] = value
        found |= (of := engines.of(value))
        if depth < DEPTH and not of:
            todo.extend(parts(value, depth + 1, namespace))
    return found


def parts(value, depth: int, namespace: dict):
    """(what a value is made of, how deep that is); a library's own functions are not followed."""
    kind = type(value)
    if kind in (MethodType, BuiltinFunctionType):
        yield value.__self__, DEPTH
    if kind is FunctionType or kind is MethodType:
        function = getattr(value, "__func__", value)
        own = function.__globals__
        deep = depth if own is namespace else DEPTH
        yield from ((own[name], deep) for name in read_first(function.__code__) if name in own)
        yield from ((cell, depth) for cell in _inside(function.__closure__ or ()))
    elif issubclass(kind, type):
        here = value.__module__ == namespace.get("__name__")
        yield from ((part, depth) for part in vars(value).values() if here)
    elif issubclass(kind, partial):
        yield from ((part, depth) for part in (value.func, value.args, value.keywords))
    elif kind is not ModuleType:
        yield from ((part, depth) for part in _held(value))


def _inside(cells):
    for cell in cells:
        try:
            yield cell.cell_contents
        except ValueError:  # it has no value yet
            continue


def _held(value) -> list:
    """The first items of a container, and the values of the attributes of an object."""
    return [*islice(items(value), ITEMS), *islice(own_dict(value).values(), ITEMS)]
