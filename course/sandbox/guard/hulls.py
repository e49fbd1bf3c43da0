"""The code of what is ours, as it is shown: what it is called, its file, lines and arguments.

The code itself could be made a function of anybody's, and what stands in it may be an answer. So
whoever asks, a library or one of ours on a learner's behalf, gets another code, which does nothing.
The grader's has no name: what a case runs for a learner may be called what they are asked for.
Who of ours needs the code itself asks Python's own descriptor, as it was before a guard.
"""

from __future__ import annotations

import gc
import os
import sys
from _lsprof import Profiler
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
)

from course.sandbox.guard import exact
from course.sandbox.guard.asker import ROOT, is_file_of_ours
from course.sandbox.guard.events import FUNCTION, SIGNATURES
from course.sandbox.guard.layout import replace
from course.sandbox.guard.nameless import placeless

NAMED = (os.path.join(ROOT, "minigrad", ""), os.path.join(ROOT, "whoholds", ""), "<minigrad ")
NO_NAME = {"co_name": "<grader>", "co_qualname": "<grader>"}
STEPS = 10_000
IN_FRAMES = {
    GeneratorType: "gi_code", CoroutineType: "cr_code", AsyncGeneratorType: "ag_code",
}  # fmt: skip

_nothing = (lambda: None).__code__
_file_of = CodeType.__dict__["co_filename"].__get__
_code_of = FunctionType.__dict__["__code__"].__get__
_made: dict = {}  # by the id of a code, which is kept, so that an id is of one


def watch(asker):
    _watch_frames(asker)
    _watch_waiting(asker)
    _watch_functions(asker)
    _watch_profiles(asker)
    _make_all()


def _make_all():
    """Now, so that none of them is memory that a call of a learner's takes."""
    codes = [_code_of(one) for one in gc.get_objects() if type(one) is FunctionType]
    while codes:
        code = codes.pop()
        if is_file_of_ours(_file_of(code)):
            hull(code)
            codes += [one for one in code.co_consts if type(one) is CodeType]


def hull(code):
    """The code without what it does; of one code always the same, as it may be a key."""
    if id(code) not in _made:
        steps, end = _nothing.co_code, _nothing.co_code[-2:]
        steps += end * ((len(code.co_code) - len(steps)) // 2)  # as many, so lines are found
        named = {} if _file_of(code).startswith(NAMED) else NO_NAME
        own, none = _arguments(code), ()
        made = code.replace(
            co_code=steps, co_consts=_nothing.co_consts, co_names=none, co_varnames=own,
            co_nlocals=len(own), co_cellvars=none, co_freevars=none, co_exceptiontable=b"", **named,
        )  # fmt: skip
        _made[id(code)] = code, made
    return _made[id(code)][1]


def _arguments(code):
    """What they are called."""
    more = sum(bool(code.co_flags & flag) for flag in (CO_VARARGS, CO_VARKEYWORDS))
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + more]


def _nobodys():
    """The code of any frame of the grader's: one for all, so that none tells which runs. It has
    more steps than any of them, as `traceback` looks for the one at work."""
    many = _nothing.co_code + _nothing.co_code[-2:] * STEPS
    return hull(placeless(_nothing.replace(co_code=many), "<grader>"))


def _watch_frames(asker):
    get = FrameType.__dict__["f_code"].__get__

    def asked(frame):
        code, names = get(frame), asker.globals_of(frame)
        if not (asker.armed and asker.are_ours(names)):
            return code
        return hull(code) if _file_of(code).startswith(NAMED) else nobodys

    def step_asked(frame):
        ours = asker.armed and asker.are_ours(asker.globals_of(frame))
        return step_of(frame) if not ours or _file_of(get(frame)).startswith(NAMED) else 0

    nobodys = _nobodys()
    step_of = FrameType.__dict__["f_lasti"].__get__
    replace(FrameType, "f_code", property(asked))
    replace(FrameType, "f_lasti", property(step_asked))


def _watch_waiting(asker):
    """Of generators and the like, whose frame may have ended."""
    for cls, name in IN_FRAMES.items():
        replace(cls, name, property(_of_file(asker, cls.__dict__[name].__get__)))


def _of_file(asker, get):
    def asked(thing):
        return _shown(get(thing)) if asker.armed else get(thing)

    return asked


def _shown(code):
    """The hull, if it is code of a file of ours."""
    return hull(code) if is_file_of_ours(exact.text(_file_of(code))) else code


def _watch_functions(asker):
    get, put = (getattr(FunctionType.__dict__["__code__"], how) for how in ("__get__", "__set__"))

    def asked(function):
        code, names = get(function), asker.function_globals(function)
        if not (asker.armed and asker.are_ours(names)):
            return code
        asker.see(FUNCTION, sys._getframe(1), SIGNATURES, "__code__")
        return hull(code)

    replace(FunctionType, "__code__", property(asked, put))


def _watch_profiles(asker):
    """Python's own profiler has the code of whatever was called."""
    get = Profiler.__dict__["getstats"]

    def getstats(profiler):
        found = get(profiler)
        return [_entry(one) for one in found] if asker.armed else found

    replace(Profiler, "getstats", getstats)


def _entry(entry):
    """The same, and those of what was called from there."""
    code, *counts = entry
    code = _shown(code) if type(code) is CodeType else code
    if type(counts[-1]) is list:
        counts[-1] = [_entry(one) for one in counts[-1]]
    return type(entry)((code, *counts))
