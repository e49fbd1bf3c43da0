"""Which line of the learner's own cells is at work, or failed.

A cell has a file name of its own, in a kernel as in the grader; every other file is the course's.
"""

import gc
import linecache
import os
import sys
import zlib
from contextlib import contextmanager
from functools import partial
from types import FrameType, FunctionType, MethodType, ModuleType

import minigrad

ENGINE = os.path.dirname(minigrad.__file__)
WATCHING = "minigrad", "course.trying.witness", __name__
_files: set = set()  # names of the learner's cells, while their code runs
# (frame, the learner's line that was running as it began): first that which runs the cells, below
# which no frame is the learner's, then those that were marked.
_marks: list = []
_module_of: dict = {}  # a module's file: the identity of the module's names
_modules: set = set()  # all of these identities but those of modules that are the learner's
_complete = [False]  # whether all modules of minigrad are among them
_names: list = []  # of modules; they live on, so that an identity is of one
# An audit hook hears of `id`, and of what is asked of a frame with a dot, not of these.
identity = object.__hash__
_globals_of = FrameType.__dict__["f_globals"].__get__
_code_of = FrameType.__dict__["f_code"].__get__
_step_of = FrameType.__dict__["f_lasti"].__get__
_names_of = type.__dict__["__dict__"].__get__  # whatever a class of a learner's says


def file_of(function):
    """The file name of the cell that defines a function, a class or what an object is; "" for a
    built-in.
    """
    kind = type(function)
    if issubclass(kind, partial):
        return file_of(function.func)
    if issubclass(kind, type):
        found = map(_unwrapped, _names_of(function).values())
        return next((one.__code__.co_filename for one in found if type(one) is FunctionType), "")
    found = _unwrapped(function)
    return found.__code__.co_filename if type(found) is FunctionType else file_of(kind)


def _unwrapped(thing):
    """The function that a method or a decorated one is about; no code of a learner's is asked."""
    if type(thing) in (staticmethod, classmethod, MethodType):
        thing = thing.__func__
    seen = set()
    while type(thing) is FunctionType and "__wrapped__" in vars(thing):
        if identity(thing) in seen:
            break
        seen.add(identity(thing))
        thing = vars(thing)["__wrapped__"]
    return thing


def know_modules(all_of_minigrad=False):
    """Learn the files of all modules that are there now, and what the engine has generated; none of
    it is the learner's.

    If these are `all_of_minigrad`, what comes later under such a name is the learner's, too.

    A frame's code is looked at in each frame on the way otherwise, and a guard hears of that.
    """
    _complete[0] = all_of_minigrad
    modules = [module for name, module in list(sys.modules.items()) if name != "__main__"]
    there = [vars(module) for module in modules if isinstance(module, ModuleType)]
    there = [names for names in there if isinstance(names.get("__file__"), str)]
    written = [one.__globals__ for one in gc.get_objects() if type(one) is FunctionType]
    written = [one for one in written if str(one.get("__name__")).startswith("minigrad.")]
    _names.extend(there + written)
    _modules.update(map(identity, written))
    _module_of.update({names["__file__"]: identity(names) for names in there})
    _modules.update(_module_of.values())


@contextmanager
def own(files):
    """While the block runs, these are the learner's files."""
    if not _modules:
        know_modules()
    marks, new = _marks[:], set(filter(None, files)) - _files
    theirs = {_module_of[file] for file in new & _module_of.keys()}
    _files.update(new)
    _modules.difference_update(theirs)
    _marks[:] = [(sys._getframe(2), None)]  # behind contextlib's
    try:
        yield
    finally:
        _files.difference_update(new)
        _modules.update(theirs)
        _marks[:] = marks


def mark(frame):
    """This frame begins something long; what is below it need not be looked at all the time."""
    _marks.append((frame, now()))


def unmark(frame):
    """It has come to its end."""
    _marks[:] = [one for one in _marks if one[0] is not frame]


def is_own(file):
    """Whether it is a learner's cell."""
    return file in _files


def asks_numpy(frame):
    """Whether it is no module's frame that has NumPy do something there, but a learner's."""
    frame = beyond_numpy(frame)
    if frame is None:
        return False
    names = _globals_of(frame)
    return identity(names) not in _modules and not _is_of_module(frame, names)


def beyond_numpy(frame):
    """The innermost frame from there on that is none of NumPy's, or None."""
    while frame is not None and str(_globals_of(frame).get("__name__")).startswith("numpy."):
        frame = frame.f_back
    return frame


def of_engine(frame):
    """Whether it is a frame of a module of the engine's that was there before a learner's cell."""
    if frame is None:
        return False
    names = _globals_of(frame)
    return identity(names) in _modules and str(names.get("__name__")).startswith("minigrad.")


def now(above=1):
    """The number of the innermost line of the learner's that is running, or None.

    So many frames are `above` those that are asked about.

    Asked for each tensor, so a frame of a module's is known by the module, and its code, of which a
    guard hears, is not looked at.
    """
    frame: FrameType | None = sys._getframe(above)
    last, line = _marks[-1] if _marks else (None, None)
    while frame is not None:
        if identity(_globals_of(frame)) not in _modules and _code_of(frame).co_filename in _files:
            return frame.f_lineno
        if frame is last:
            return line
        frame = frame.f_back
    return None


def anothers(above=1):
    """Whether code is at work that no module has: a cell's, or what a cell has compiled under
    another file's name. And whatever runs on a stack that does not lead back to the case.
    """
    frame: FrameType | None = sys._getframe(above)
    last, line = _marks[-1] if _marks else (None, None)
    while frame is not None:
        names = _globals_of(frame)
        if identity(names) not in _modules and not _is_of_module(frame, names):
            return True
        if frame is last:
            return line is not None
        frame = frame.f_back
    return bool(_marks)


def asking():
    """A number for the place, outside of the engine, that asks for what happens now."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = str(_globals_of(frame).get("__name__"))
        if not name.startswith(WATCHING):
            return zlib.crc32(f"{name} {frame.f_lineno} {_step_of(frame)}".encode())
        frame = frame.f_back
    return 0


def _is_of_module(frame, names):
    """Whether it is of a module of minigrad's that was imported later, or written by the engine.

    Any other that came later may be the learner's own. Where a guard is, so may one of such a name:
    all of ours are known by their names themselves, what is generated among them.
    """
    name, own = names.get("__name__"), _code_of(frame).co_filename
    if _complete[0] or type(name) is not str or own in _files:
        return False
    later = name.startswith("minigrad.") and own.startswith(ENGINE)
    generated = own.startswith("<minigrad ") and name == "minigrad.core.generate"
    return generated or (later and vars(sys.modules.get(name, minigrad)) is names)


def failed(error):
    """(line number, its text) of the learner's innermost line on an error's way, or (None, "")."""
    found, step = (None, ""), error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file in _files:
            found = step.tb_lineno, linecache.getline(file, step.tb_lineno).strip()[:80]
        step = step.tb_next
    return found


def is_engines(error):
    """Whether it was raised within minigrad, which chose its words for the one who called."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step is not None and step.tb_frame.f_code.co_filename.startswith(ENGINE)


def theirs(error):
    """The StopIteration of a learner's line, where a generator of the course's has renamed it."""
    cause = error.__cause__
    if type(error) is not RuntimeError or type(cause) is not StopIteration:
        return error
    step = cause.__traceback__
    return error if step is None or is_own(step.tb_frame.f_code.co_filename) else cause
