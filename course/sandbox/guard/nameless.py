"""The grader's code without the lines, names and files that would tell which case runs.

A frame and a warning tell where they are, and a function that a case hands on tells what it is
called. Whoever knows the case can be careful in that one alone. So before a learner's code runs,
all code of the cases and of what tries them is put on one line of one file. Functions of the cases
are called as a lambda is: a learner's page says `<function>` of them.
"""

import gc
import os
import sys
from types import CodeType, FunctionType

from course.sandbox.guard.asker import ROOT, is_of

PLACE = os.path.join(ROOT, "course", "trying", "__init__.py")
NAME = "<lambda>"
ENTRY, LONGEST = 0x80 | 13 << 3, 8  # of a table of lines: no column, and the same line as before


def hide(own=()):
    """In all modules that are there now; `own` are the names of a teacher's own cases."""
    known = {id(vars(module)): name for name, module in list(sys.modules.items()) if module}
    for function in [one for one in gc.get_objects() if type(one) is FunctionType]:
        name = known.get(id(function.__globals__), "")
        if is_of(name, ("course.cases", *own)):
            function.__code__ = placeless(function.__code__, NAME)
            function.__name__ = function.__qualname__ = NAME
        elif is_of(name, ("course.trying",)):
            function.__code__ = placeless(function.__code__)


def placeless(code, name=""):
    """The code, and what is defined in it, on one line of one file, and of that name if there is
    one."""
    inner = [placeless(one, name) if type(one) is CodeType else one for one in code.co_consts]
    named = {"co_name": name, "co_qualname": name} if name else {}
    return code.replace(
        co_filename=PLACE, co_firstlineno=1, co_consts=tuple(inner),
        co_linetable=one_line(len(code.co_code) // 2), **named,
    )  # fmt: skip


def one_line(steps):
    """A table of lines, in which so many steps are on the first one."""
    lengths = [LONGEST] * (steps // LONGEST) + [steps % LONGEST] * bool(steps % LONGEST)
    return b"".join(bytes((ENTRY | length - 1, 0)) for length in lengths)
