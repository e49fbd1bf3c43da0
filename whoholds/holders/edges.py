"""What an object holds, each with the words that lead there: `.cache`, `[2]`, `, closure 'k'`.

Words that begin with a comma cannot be typed: they say how a variable of a function, a generator or
an error is held. No code of the program is called: no property, no `__iter__`, no `__getattr__`.
"""

from __future__ import annotations

import functools
import gc
import sys
import types

from whoholds.frames import of_file, variables
from whoholds.holders.unasked import (
    PLAIN,
    SEQUENCES,
    SETS,
    items,
    numbered,
    of_class,
    of_error,
    own_dict,
    rows_of,
)
from whoholds.places import library

NOT_ENTERED = types.ModuleType, types.CodeType, str, bytes, int, float, complex
CALLS = {  # what waits in the middle of a call: where its frame stands, and what it waits for
    types.GeneratorType: ("gi_frame", "gi_yieldfrom"),
    types.CoroutineType: ("cr_frame", "cr_await"),
    types.AsyncGeneratorType: ("ag_frame", "ag_await"),
}
PARTS = "_parameters", "_buffers", "_modules"  # of PyTorch's modules; their items are attributes
IN_C = {  # modules whose objects hold what only the collector is told
    "builtins", "itertools", "collections", "_collections", "functools", "_asyncio", "_queue",
}  # fmt: skip


def edges(value):
    """(words, object) of all that `value` refers to, as far as a reader would ask for it."""
    kind = type(value)
    if issubclass(kind, type):
        return () if library(file_of(value)) else _attributes(dict(of_class(value, "__dict__")))
    if issubclass(kind, NOT_ENTERED):
        return ()
    return [*_items(value, kind), *_attributes(own_dict(value)), *slots(value, kind)]


def _items(value, kind):
    """What it holds without an attribute."""
    if issubclass(kind, dict):
        yield from [(place(key), one) for key, one in rows_of(value)]
        yield from [(", as a key", key) for key in dict.keys(value) if type(key) not in PLAIN]
    elif issubclass(kind, tuple) and (fields := getattr(kind, "_fields", None)):
        yield from [(f".{name}", one) for name, one in zip(fields, tuple(value), strict=False)]
    elif issubclass(kind, SEQUENCES):
        yield from [(f"[{i}]", one) for i, one in numbered(value)]
    elif issubclass(kind, SETS):
        yield from [(", in the set", one) for one in items(value)]
    elif kind is types.FunctionType:
        yield from of_function(value)
    elif kind is types.MethodType:
        yield ".__self__", value.__self__
        yield ".__func__", value.__func__
    elif issubclass(kind, BaseException):
        yield ", its traceback", of_error(value, "__traceback__")
        rest = "args", "__context__", "__cause__"
        yield from [(f".{name}", of_error(value, name)) for name in rest]
    elif kind is types.TracebackType:
        yield from [row for one in _entries(value) for row in of_call(one.tb_frame)]
    elif kind in CALLS:
        frame, awaited = CALLS[kind]
        yield from of_call(getattr(value, frame), f", a {kind.__name__}")
        yield "", getattr(value, awaited)
    elif kind is functools.partial:
        parts = (".func", value.func), (".args", value.args), (".keywords", value.keywords)
        yield from parts
    elif kind is types.BuiltinFunctionType:
        yield ".__self__", value.__self__
    elif kind is functools._lru_cache_wrapper:
        yield from [(", its cache", one) for one in gc.get_referents(value)]
    elif of_class(kind, "__module__") in IN_C and not issubclass(kind, types.CellType):
        words = "" if kind.__name__.startswith("_") else f", a {kind.__name__}"
        yield from [(words, one) for one in gc.get_referents(value)]


def of_optimizer(optimizer, names):
    """What an optimizer holds; `names` are those of parameters, by address."""
    found = [row for row in edges(optimizer) if row[0] != ".state"]
    for number, (key, state) in enumerate(own_dict(optimizer).get("state", {}).items()):
        name = names.get(id(key), number)
        if issubclass(type(state), dict):
            rows = dict.items(state)
            found += [(f".state[{name!r}].{k}", one) for k, one in rows]
    return found


def place(key) -> str:
    """`['h']`; another kind of key, a parameter for example, would take a whole page."""
    return f"[{key!r}]" if type(key) in (str, int, bool) else "[...]"


def _attributes(found):
    return [(attribute(name), one) for name, one in found.items() if name != "__dict__"]


def attribute(name) -> str:
    """The words for an attribute; a Sequential's are numbers, which are typed as items."""
    return f"[{name}]" if name.isdigit() else f".{name}"


def slots(value, kind):
    """The attributes that its class has a place for."""
    inner = of_class(kind, "__module__") in ("builtins", "torch")
    for one in () if inner else of_class(kind, "__mro__"):
        for name, descriptor in of_class(one, "__dict__").items():
            if type(descriptor) is types.MemberDescriptorType:
                try:
                    yield f".{name}", descriptor.__get__(value, kind)
                except AttributeError:  # nothing was assigned to it
                    continue


def of_parts(own, parts=PARTS) -> list:
    """(`.fc` or `[0]`, object) of what a module of PyTorch has in these dicts of its own."""
    items = [item for part in parts for item in (own.get(part) or {}).items()]
    return [(attribute(name), one) for name, one in items]


def of_function(function):
    """Variables of the function around it, and defaults."""
    code, defaults = function.__code__, function.__defaults__ or ()
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f", closure '{name}'", cell.cell_contents
        except ValueError:  # an empty one
            continue
    arguments = code.co_varnames[: code.co_argcount][-len(defaults) :] if defaults else ()
    named = [*zip(arguments, defaults, strict=False), *(function.__kwdefaults__ or {}).items()]
    yield from [(f", default '{name}'", value) for name, value in named]


def of_call(frame, how=""):
    """The variables of a call: `, a generator: count.h`."""
    if frame is None or of_file(frame):
        return
    called = frame.f_code.co_name.strip("<>")
    for name, value in variables(frame):
        yield f"{how}: {called}.{name}", value


def _entries(traceback):
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def file_of(kind) -> str:
    """Where a class was written; a module of the program that is no file has no name for it."""
    name = of_class(kind, "__module__")
    module = sys.modules.get(name) if type(name) is str else None
    if module is None or name == "__main__":
        return ""
    return getattr(module, "__file__", None) or "<frozen>"
