"""Who asks: a frame of ours may, a learner's may not, and a library asks for whoever called it."""

from __future__ import annotations

import functools
import os
import sys
from types import FrameType, FunctionType, ModuleType
from typing import Any

import course
from course.sandbox.guard import exact
from minigrad.missing import INSTRUCTIONS, at_work

OURS = "minigrad", "whoholds", "course"
ROOT = os.path.dirname(os.path.dirname(course.__file__))
FOLDERS = [os.path.join(ROOT, name, "") for name in OURS]
# Of ours, whose calls into Python's insides are their own, and into which; all others may have been
# handed a function written in C, which has no frame, by a learner. That runs in theirs.
MAY = {
    ("course.sandbox.guard.proxies._shown", "gc"), ("course.sandbox.guard.layout.word", "ctypes"),
    ("course.sandbox.guard.calls.get_objects", "gc"),
    ("course.sandbox.guard.calls.get_referrers", "gc"),
    ("course.sandbox.guard.calls.<listcomp>", "gc"),
    ("course.trying.numpy_bytes._ours", "ctypes"),
    ("course.trying.numpy_bytes._set_handler", "ctypes"),
    ("course.sandbox.guard.calls.settrace", "sys"), ("course.trying.caught.trace", "settrace"),
    ("course.trying.numpy_bytes._libc", "ctypes"),
    ("course.sandbox.child._run_cell", "compile"), ("minigrad.core.generate.code", "compile"),
    ("course.sandbox.caches._outline", "compile"), ("course.sandbox.guard.copied._lies_there", ""),
    ("course.sandbox.child._run_cell", "exec"), ("minigrad.core.generate.functions", "exec"),
    ("whoholds.program.run", "exec"), ("whoholds.step.instrument.execute", "exec"),
}  # fmt: skip
WATCHES = "uses whoholds, which looks at all objects: try things out with it, but hand in without"
GUARD = ("course.sandbox.guard",)  # asks for whoever called it
ITSELF = "LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "IMPORT_FROM", "IMPORT_NAME"
STACK = "getframeinfo", "getfile", "findsource"  # of inspect: the first asks the others

_code_of = FrameType.__dict__["f_code"].__get__  # itself: others are shown another (`hulls.py`)
_step_of = FrameType.__dict__["f_lasti"].__get__


class Asker:
    """Knows the modules that were there before a learner's code, by the names they hold."""

    def __init__(self):
        self._tell: Any = None  # a function, once it is armed
        self._files: frozenset = frozenset()
        self._said: set = set()
        self.names = frozenset(sys.modules)  # which a learner may take away
        modules = [(n, m) for n, m in sys.modules.items() if isinstance(m, ModuleType)]
        self.ours = {name: module for name, module in modules if is_of(name, OURS)}
        self._ours = {id(vars(module)): name for name, module in self.ours.items()}
        self._libraries = {
            id(vars(module)): name
            for name, module in modules
            if name not in self.ours and name != "__main__"
        }
        self.globals_of = FrameType.__dict__["f_globals"].__get__
        self.caller_of = FrameType.__dict__["f_back"].__get__
        self.function_globals = FunctionType.__dict__["__globals__"].__get__

    def arm(self, tell, files):
        """From now on `tell(sentence)` of what a learner's code does; `files` are its cells'."""
        self._files, self._tell = frozenset(files), tell

    @property
    def armed(self):
        return self._tell is not None

    def see(self, what, frame, allowed=(), name=""):
        """Tell of it if it is a learner's doing; whether it is."""
        stranger = self.stranger(frame, allowed, name)
        if stranger is None:
            return False
        said = f"{self._place(stranger)}{WATCHES if self._watches(frame) else what}"
        if said not in self._said:
            self._tell(said)  # first: what comes between, a signal's error, must not silence it
            self._said.add(said)
        return True

    def _watches(self, frame):
        """Whether it is whoholds that asks: of all that it looks at one sentence is enough."""
        name = ""
        while frame is not None and (not name or is_of(name, ("importlib", *GUARD))):
            name = exact.text_or(dict.get(self.globals_of(frame), "__name__"), "")
            frame = self.caller_of(frame)
        return is_of(name, ("whoholds",))

    def stranger(self, frame, allowed=(), name=""):
        """The frame on whose behalf this one asks, if it is not one of ours that may; else None.

        One of ours may ask for the attribute `name` that its own instruction names. A library in
        `allowed` may, too. Where no learner's frame is found, in a thread that C code began, it is
        the first that was not ours.
        """
        if self._tell is None:
            return None
        frame = self._without_import(frame)
        first = asked = frame
        while frame is not None:
            names = id(self.globals_of(frame))
            if names in self._ours:
                place = self.place_of(frame)
                if not place:  # `exec`, called by C from there
                    return frame
                if (place, name) in MAY:
                    return None
                if frame is asked and is_of(place, GUARD):
                    asked = self.caller_of(frame)
                elif frame is asked and asks_itself(frame, name):
                    return None
            elif names not in self._libraries:
                return frame
            elif self._libraries[names] in allowed:
                return None
            frame = self.caller_of(frame)
        return asked or first

    def place_of(self, frame):
        """The function of ours that runs there, with its module's name; "" if it is not of ours."""
        module, code = self._ours.get(id(self.globals_of(frame))), _code_of(frame)
        if module is None or not is_file_of_ours(exact.text(code.co_filename)):
            return ""
        return f"{module}.{exact.text(code.co_name)}"

    def _without_import(self, frame):
        """The frame whose import statement led here, if one did."""
        first = frame
        while frame is not None and (self.library(frame) or "").startswith("importlib."):
            frame = self.caller_of(frame)
        if frame is None or id(self.globals_of(frame)) not in self._ours:
            return first
        return frame

    def imports(self, frame):
        """Whether it is Python's own search for a module that asks."""
        while frame is not None and (self.library(frame) or "").startswith("importlib."):
            if exact.text(_code_of(frame).co_name) == "_find_and_load":
                return True
            frame = self.caller_of(frame)
        return False

    def _place(self, frame):
        """`cell 2 line 5: ` of the learner's innermost line."""
        while frame is not None:
            file = exact.text(_code_of(frame).co_filename)
            if file in self._files:
                return f"{file[1:-1]} line {frame.f_lineno}: "
            frame = self.caller_of(frame)
        return ""

    # --- whose it is ---------------------------------------------------------------------------

    def is_ours(self, frame):
        """Whether it is of a module of ours."""
        return id(self.globals_of(frame)) in self._ours

    def library(self, frame):
        """The name of the library's module that this frame is of, or None."""
        return self._libraries.get(id(self.globals_of(frame)))

    def shows_stack(self, frame):
        """Whether Python's own `inspect` asks where a frame is, and no more."""
        if frame is None or exact.text(_code_of(frame).co_name) not in STACK:
            return False
        while self.library(frame) == "inspect":
            if exact.text(_code_of(frame).co_name) == "getframeinfo":
                return True
            frame = self.caller_of(frame)
        return False

    def is_librarys(self, names):
        return id(names) in self._libraries

    def are_ours(self, names):
        """Whether these globals are of code of ours, some of which is written while it runs."""
        if id(names) in self._ours:
            return True
        return is_of(exact.text_or(dict.get(names, "__name__"), ""), OURS)

    def is_our_function(self, thing):
        return type(thing) is FunctionType and self.are_ours(self.function_globals(thing))

    def is_librarys_function(self, thing):
        return type(thing) is FunctionType and self.is_librarys(self.function_globals(thing))


@functools.cache
def is_file_of_ours(file):
    """Whether it is a file of ours, or the engine's own writing; not what somebody has compiled."""
    return file.startswith((*FOLDERS, "<minigrad "))


def is_of(name, tops):
    return any(f"{name}.".startswith(f"{top}.") for top in tops)


def asks_itself(frame, name):
    """Whether the instruction at work asks for that name; else C code does that it came upon."""
    code = _code_of(frame)
    names, steps = code.co_names, code.co_code
    at = at_work(steps, _step_of(frame))
    does, number, shift = INSTRUCTIONS[steps[at]], steps[at + 1], 8
    if does not in ITSELF:
        return False
    while at >= 2 and INSTRUCTIONS[steps[at - 2]] == "EXTENDED_ARG":
        at, number, shift = at - 2, number | steps[at - 1] << shift, shift + 8
    if does == "LOAD_ATTR" and sys.version_info >= (3, 12):  # the last bit is for a method
        number >>= 1
    return names[number].rpartition(".")[2] == name
