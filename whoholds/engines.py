"""Which engine does a piece of code use: PyTorch, or minigrad under one of its names?"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types

ENGINES = ("minigrad", "torch")
RECORDERS = {
    "torch": ("whoholds.on_torch.recorder", "TorchRecorder"),
    "minigrad": ("whoholds.on_minigrad.stepping", "StepRecorder"),
}
BRIEF = {  # details that are tables, without events; of PyTorch only
    "line": ("whoholds.on_torch.lines", "LineRecorder"),
    "module": ("whoholds.on_torch.modules", "ModuleRecorder"),
}
DETAILS = ("tensor", *BRIEF)
DEPTH = 3  # calls that are followed
NONE = "neither torch nor minigrad is imported yet: import the one that is to be recorded first"
BOTH = (
    "torch and minigrad are both imported, and the code here does not tell which one it uses: "
    'say record(engine="torch") or record(engine="minigrad")'
)


class WhichEngine(RuntimeError):
    """The code does not tell which engine it uses."""


def installed(name: str) -> bool:
    """Whether it can be imported; it is not imported for that."""
    return importlib.util.find_spec(name) is not None


def recorder_class(engine: str, detail="tensor"):
    """The recorder of an engine, which is imported only when it is asked for."""
    check_detail(detail)
    if detail in BRIEF and engine != "torch":
        raise ValueError(f'{engine} is recorded at detail="tensor" only: leave the detail out')
    module, name = BRIEF.get(detail) or RECORDERS[engine]
    return getattr(importlib.import_module(module), name)


def check_detail(detail) -> None:
    if detail not in DETAILS:
        *others, last = [f'"{one}"' for one in DETAILS]
        raise ValueError(f"detail is {', '.join(others)} or {last}, but got {detail!r}")


def engine_with(tensor) -> str:
    """The engine that a tensor belongs to; raises TypeError for what is no tensor."""
    found = sorted(of(tensor)) if hasattr(type(tensor), "requires_grad") else []
    if len(found) != 1:
        raise TypeError(
            f"a tensor of PyTorch or minigrad is wanted, but got {type(tensor).__name__}"
        )
    return found[0]


def engine_of(code, namespace, variables) -> str:
    """The engine that this code uses; raises WhichEngine where nothing tells.

    `namespace` and `variables` are its globals and its locals. Where the names in the code do not
    tell, those around it do.
    """
    loaded = [engine for engine in ENGINES if engine in sys.modules]
    if len(loaded) > 1:
        around = {engine for value in list(namespace.values()) for engine in of(value)}
        loaded = sorted(_used(code, namespace, variables, DEPTH) or around)
    if len(loaded) != 1:
        raise WhichEngine(BOTH if any(engine in sys.modules for engine in ENGINES) else NONE)
    return loaded[0]


def _used(code, namespace, variables, depth) -> set:
    """The engines that the names of this code lead to, and the functions that it calls."""
    names = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    values = [variables.get(name, namespace.get(name)) for name in sorted(names)]
    found = {engine for value in values for engine in of(value)}
    for value in values if depth and not found else ():
        function = getattr(value, "__func__", value)
        if type(function) is types.FunctionType:
            found |= _used(function.__code__, function.__globals__, {}, depth - 1)
    return found


def of(value) -> set:
    """The engine that a value belongs to, if it does to one; a class by its bases too."""
    module = value if type(value) is types.ModuleType else type(value)
    name = module.__name__ if module is value else module.__module__
    functions = types.FunctionType, types.BuiltinFunctionType
    is_class = issubclass(type(value), type)  # isinstance() asks the value itself
    if type(value) in functions or is_class:
        name = value.__module__
    kind = value if is_class else type(value)
    kinds = [name, *(above.__module__ for above in getattr(kind, "__mro__", ()))]
    return {str(name).partition(".")[0] for name in kinds} & {*ENGINES}
