"""Which names does a piece of code mention that may lead to a tensor?"""

from __future__ import annotations

import builtins
import dis
from types import BuiltinFunctionType, FunctionType, ModuleType

from whoholds.frames import variables

BINDING = tuple(
    f"{verb}_{what}" for verb in ("STORE", "DELETE") for what in ("FAST", "NAME", "GLOBAL", "DEREF")
)
USING = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
CONSTANT = (ModuleType, FunctionType, BuiltinFunctionType, type)


def mentioned(frame, stays) -> list:
    """The names worth following: all that the code binds, and what leads or may lead somewhere.

    Attributes are no names. Modules, functions and classes that the code only uses lead nowhere,
    and neither do arguments for which `stays(value)` is true.
    """
    code = frame.f_code
    bound: set = set()
    used: set = set()
    for step in dis.get_instructions(code):
        if step.opname.startswith(BINDING):
            bound.update(step.argval if isinstance(step.argval, tuple) else [step.argval])
        elif step.opname.startswith(USING):
            used.add(step.argval)
    bound.update(code.co_cellvars, code.co_freevars)  # functions inside may bind them
    own, around = dict(variables(frame)), {**vars(builtins), **frame.f_globals}
    used = {n for n in used if not issubclass(type(own.get(n, around.get(n))), CONSTANT)}
    arguments = {n for n in code.co_varnames if not stays(own.get(n))}
    return sorted(bound | used | arguments)
