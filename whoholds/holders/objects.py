"""How Python objects hold others, in words: `[0]`, `.h`, `, its variable k`.

`below(value)` gives what an object holds. Only what a reader would call part of a program leads
on: containers, functions, calls that wait, and objects of classes that are no library's.
"""

from __future__ import annotations

import functools
import gc
import sys
import types

from whoholds.frames import of_file, ours, variables
from whoholds.holders.edges import PARTS, attribute, file_of, of_parts, place, slots
from whoholds.holders.unasked import (
    SEQUENCES,
    SETS,
    numbered,
    of_class,
    of_error,
    own_dict,
    rows_of,
)
from whoholds.places import library

TRACEBACK = ", its traceback"
PLAIN = {"builtins", "itertools", "functools", "_functools", "collections", "_collections"}
KEEPING = {"types", "argparse", "queue", "logging", "logging.handlers"}  # what is put in is kept
LEAVES = type, types.ModuleType, types.CodeType, str, bytes, int, float, complex


def below(value, engine):
    """(words, object) of what `value` holds; the engine knows which files are its own."""
    return [row for way in ways(type(value), engine) for row in way(value, engine)]


def ways(kind, engine) -> list:
    """How to go down from objects of this kind: functions of (object, engine); [] if nowhere."""
    found = [way for kinds, way in WAYS if issubclass(kind, kinds)][:1]
    if not found and _holds_bytes(kind):
        found = [_of_array]
    elif not found and of_class(kind, "__module__") in PLAIN and not issubclass(kind, LEAVES):
        found = [_of_plain]
    return [*found, _attributes] if _own(kind, engine) else found


def _of_dict(value, _):
    return [(place(key), one) for key, one in rows_of(value)]


def _of_class(value, _):
    """The attributes of a class of the program's."""
    own = () if library(file_of(value)) else dict(of_class(value, "__dict__")).items()
    return [(attribute(name), one) for name, one in own if not name.startswith("__")]


def _of_sequence(value, _):
    return [(f"[{i}]", one) for i, one in numbered(value)]


def _of_set(value, _):
    return [("", one) for _, one in numbered(value)]


def _of_error(value, engine):
    kept = [("", of_error(value, name)) for name in ("__context__", "__cause__", "args")]
    return [*of_traceback(of_error(value, "__traceback__"), engine), *kept]


def _of_generator(value, _):
    return of_call(value.gi_frame, ", a generator: ")


def _of_method(value, _):
    return [(".__self__", value.__self__)]


def _of_partial(value, _):
    return [(f".{name}", getattr(value, name)) for name in ("func", "args", "keywords")]


def _of_array(value, engine):
    return [(", an array on its bytes", engine.behind(_base(value)))]


def _of_plain(value, _):
    return [("", one) for one in gc.get_referents(value)]


def _attributes(value, _):
    own = own_dict(value)
    inner = PARTS if own.keys() >= {*PARTS} else ()
    rest = [(attribute(k), one) for k, one in own.items() if k not in inner]
    return [*of_parts(own, inner), *rest, *slots(value, type(value))]


def _holds_bytes(kind) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(kind, numpy.ndarray)


def _base(array):
    """What an array without bytes of its own keeps alive."""
    while _holds_bytes(type(array)):
        array = array.base
    return array


def _own(kind, engine) -> bool:
    """Are its attributes the program's, or the engine's?"""
    module = of_class(kind, "__module__")
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    theirs = library(file) and module not in KEEPING
    return not issubclass(kind, LEAVES) and (engine.inside(file) or not theirs)


def of_function(function, _):
    """What a function holds: variables of the function around it, and defaults."""
    code, defaults = function.__code__, function.__defaults__ or ()
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield f", its variable {name}", content(cell)
    arguments = code.co_varnames[: code.co_argcount][-len(defaults) :]
    named = [*zip(arguments, defaults, strict=False), *(function.__kwdefaults__ or {}).items()]
    yield from [(f", its default {name}", value) for name, value in named]


def content(value):
    """What is in a cell, or the value itself."""
    try:
        return value.cell_contents if type(value) is types.CellType else value
    except ValueError:  # an empty one
        return None


def of_traceback(traceback, engine):
    """The variables of the calls that an error keeps; of the engine's, those of a forward have
    words, and those of this package are none of the program's.
    """
    while traceback is not None:
        frame = traceback.tb_frame
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if not of_file(frame) and not ours(file):
            for words, value in of_call(frame, f"{TRACEBACK}: "):
                yield TRACEBACK if engine.inside(file) and name != "forward" else words, value
        traceback = traceback.tb_next


def of_call(frame, how=""):
    """The variables of a call, named as in the picture: `f.x`."""
    for name, value in variables(frame) if frame is not None else ():
        yield f"{how}{frame.f_code.co_name.strip('<>')}.{name}", value


def calls():
    """The frames that are running, the innermost first."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


WAYS = (
    (dict, _of_dict),
    (type, _of_class),
    (SEQUENCES, _of_sequence),
    (SETS, _of_set),
    (types.FunctionType, of_function),
    (BaseException, _of_error),
    (types.GeneratorType, _of_generator),
    ((types.MethodType, types.BuiltinMethodType), _of_method),
    (functools.partial, _of_partial),
)
