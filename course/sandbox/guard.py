"""What a learner's code does to the engine or the grader is seen, whatever it is called.

Made in the warden, armed in a child before its first cell. Python tells an audit hook of forks,
ctypes, the collector and the like; of closures, of a function's globals and of a changed module it
tells nobody, so those are watched here: the descriptors of functions and frames are replaced, and
each module of ours has a stand-in where an import finds it. What counts is who asks: a frame of
ours may, a learner's may not, and one of a library asks for whoever called it.

Seen is told at once (a flag), before it is done. A change of ours is refused as well.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from types import FrameType, FunctionType, ModuleType
from typing import Any

OURS = "minigrad", "whoholds", "course"
CLOSED = "minigrad.core", "course.trying", "course.cases", "course.sandbox"
SOURCES = "course/trying", "course/cases", "course/sandbox"
OPEN_TO_ALL = {"stdin", "stdout", "stderr", "displayhook", "excepthook", "_"}  # of sys, builtins
DOCTEST = {"doctest"}  # puts itself in the places of some functions, and back
ABC = {"abc", "_py_abc"}
SIGNATURES = {"inspect"}
TRACEBACK = {"traceback"}  # shows the lines of an error's way
TELLERS = {"traceback", "linecache", "logging", "warnings"}  # where an error was, and no more
CHANGED = "the engine and the grader cannot be changed"
COLLECTED = {"minigrad", "minigrad.nn.module", "numpy", "__main__"}  # whose objects a learner finds
EVENTS = {
    "gc.get_referents": "looks for objects through the collector",
    "sys.settrace": "traces the grader",
    "sys.monitoring.register_callback": "traces the grader",
    "sys.addaudithook": "listens to the grader",
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.exec": "starts a process",
    "os.system": "starts a process",
    "subprocess.Popen": "starts a process",
    "cpython.PyInterpreterState_New": "starts an interpreter",
    "mmap.__new__": "keeps memory that nobody counts",
    "os.kill": "sends a signal to a process",
    "os.killpg": "sends a signal to a process",
}
FAMILIES = {
    "ctypes": "reaches below Python with ctypes",
    "socket": "opens a network connection",
}
FUNCTION = "looks into a function of the engine or the grader"
FRAME = "looks into a frame of the engine or the grader"
CLASSES = "looks for classes that nobody gave it"
FILE = "opens a file of the grader or of somebody else"
IMMUTABLE = 1 << 8  # of a class's flags: Python refuses to set its attributes
TYPE, FLAGS = 1, 21  # where a class has its own class, and its flags, in words
CHANGING = {  # whose instances are given another class of these
    "minigrad.core.storage", "minigrad.ops.versions", "minigrad.autograd.inference",
    "minigrad.autograd.mutation",
}  # fmt: skip


class Guard:
    """Of one process: `arm` it in a child, where it cannot be disarmed."""

    def __init__(self, root):
        self._root = os.path.realpath(root)
        self._tell = None
        self._files: frozenset = frozenset()
        self._said: set = set()
        self._libraries = {
            id(vars(module)): name
            for name, module in list(sys.modules.items())
            if type(module) is ModuleType and not _is_of(name, OURS) and name != "__main__"
        }
        ours = {n: m for n, m in list(sys.modules.items()) if _is_of(n, OURS)}
        self._ours = {id(vars(module)) for module in ours.values()}
        self._globals_of = FrameType.__dict__["f_globals"].__get__
        self._caller_of = FrameType.__dict__["f_back"].__get__
        self._function_globals = FunctionType.__dict__["__globals__"].__get__
        self._freeze(ours.values())
        self._watch_functions()
        self._watch_frames()
        self._watch_classes()
        self._watch_collector()
        self._watch_modules(ours)
        sys.addaudithook(self._heard)

    def arm(self, tell, files):
        """From now on `tell(sentence)` of what a learner's code does; `files` are its cells'."""
        self._files, self._tell = frozenset(files), tell

    # --- who asks ------------------------------------------------------------------------------

    def _stranger(self, frame, allowed=()):
        """The learner's frame on whose behalf `frame` runs; None for one of ours."""
        while frame is not None:
            names = id(self._globals_of(frame))
            if names in self._ours:
                return None
            library = self._libraries.get(names)
            if library is None:
                return frame
            if library in allowed:
                return None
            frame = self._caller_of(frame)
        return None

    def _library(self, frame):
        """The name of the library's module that this frame is of, or None."""
        return self._libraries.get(id(self._globals_of(frame)))

    def _see(self, what, frame, allowed=()):
        """Tell of it if it is a learner's doing; whether it is."""
        if self._tell is None:
            return False
        stranger = self._stranger(frame, allowed)
        if stranger is None:
            return False
        said = f"{self._place(stranger)}{what}"
        if said not in self._said:
            self._said.add(said)
            self._tell(said)
        return True

    def _place(self, frame):
        """`cell 2 line 5: ` of the learner's innermost line."""
        while frame is not None:
            file = frame.f_code.co_filename
            if file in self._files:
                return f"{file[1:-1]} line {frame.f_lineno}: "
            frame = self._caller_of(frame)
        return ""

    def _is_ours(self, function):
        return isinstance(function, FunctionType) and (
            self._are_ours(self._function_globals(function))
        )

    def _are_ours(self, names):
        """Whether these globals are of code of ours, some of which is written while it runs."""
        return id(names) in self._ours or _is_of(names.get("__name__"), OURS)

    # --- what Python tells ---------------------------------------------------------------------

    def _heard(self, event, arguments):
        if self._tell is None:
            return
        if event == "object.__getattr__":  # the first, for each frame that is looked at is one
            if self._is_ours(arguments[0]):
                self._see(FUNCTION, sys._getframe(1), SIGNATURES)
            return
        what = EVENTS.get(event) or FAMILIES.get(event.partition(".")[0])
        if what:
            self._see(what, sys._getframe(1), DOCTEST)
        elif event == "open":
            if self._is_hidden(arguments[0]):
                self._see(FILE, sys._getframe(1), TRACEBACK)
        elif event in ("object.__setattr__", "object.__delattr__"):
            if self._is_ours(arguments[0]) or _is_of(type(arguments[0]).__module__, OURS):
                if self._see(f"changes {_named(arguments[0])}", sys._getframe(1)):
                    raise AttributeError(CHANGED)

    def _is_hidden(self, path):
        """Whether no honest code opens it: it is of other processes, or of the grader."""
        if isinstance(path, int):
            return False
        name = os.path.realpath(os.fsdecode(path))
        if name.startswith(("/proc/", "/dev/shm/")):
            return True
        below = os.path.relpath(name, self._root)
        return below.startswith(SOURCES) or below.startswith(("solutions", "lessons", "tests"))

    # --- what Python keeps to itself -----------------------------------------------------------

    def _watch_functions(self):
        for name in "__globals__", "__closure__", "__builtins__":
            self._watch(FunctionType, name, self._is_ours, FUNCTION)

    def _watch_frames(self):
        for name in "f_locals", "f_globals", "f_builtins":
            self._watch(FrameType, name, lambda f: self._are_ours(self._globals_of(f)), FRAME)

    def _watch(self, cls, name, is_ours, what):
        allowed = TELLERS if name == "f_globals" else ()
        get = cls.__dict__[name].__get__

        def asked(self_):
            if self._tell is not None and is_ours(self_):
                if name == "__globals__" and self._library(sys._getframe(1)) in SIGNATURES:
                    return {}  # it would read annotations in them
                self._see(what, sys._getframe(1), allowed)
            return get(self_)

        _replace(cls, name, property(asked))

    def _watch_classes(self):
        get = type.__dict__["__subclasses__"]

        def __subclasses__(cls):
            self._see(CLASSES, sys._getframe(1), ABC)
            return get(cls)

        _replace(type, "__subclasses__", __subclasses__)

    def _watch_collector(self):
        """To look for tensors and their holders is honest; nothing of the grader is found."""
        find, holders = gc.get_objects, gc.get_referrers

        def get_objects(generation=None):
            found = find(generation)
            if self._tell is None or self._stranger(sys._getframe(1)) is None:
                return found
            return [one for one in found if type(one).__module__ in COLLECTED]

        def get_referrers(*things):
            found = holders(*things)
            if self._tell is None or self._stranger(sys._getframe(1)) is None:
                return found
            found = [one for one in found if type(one).__module__ in (*COLLECTED, "builtins")]
            kinds = (FrameType, FunctionType, ModuleType)
            return [
                one
                for one in found
                if not isinstance(one, kinds) and not any(map(_is_graders, holders(one)))
            ]

        gc.get_objects, gc.get_referrers = get_objects, get_referrers

    # --- classes -------------------------------------------------------------------------------

    def _freeze(self, modules):
        """Make the classes of these modules immutable, as built-in ones are.

        An instance whose class is another one later must be of mutable ones: these are watched.
        """
        watched = self._watched_type()
        for module in modules:
            for cls in list(vars(module).values()):
                if not isinstance(cls, type) or cls.__module__ != module.__name__:
                    continue
                if (_at(cls, TYPE).value, _at(cls, FLAGS).value) != (id(type(cls)), cls.__flags__):
                    raise RuntimeError("this Python lays out a class in another way")
                if module.__name__ in CHANGING:
                    if type(cls) is type:
                        _at(cls, TYPE).value = id(watched)
                else:
                    _at(cls, FLAGS).value |= IMMUTABLE
                ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))

    def _watched_type(self):
        """A class of classes that only we may change, by whatever way."""
        change, delete = type.__setattr__, type.__delattr__

        def require_ours(cls, frame):
            if type(cls) is Watched and self._see(f"changes {_named(cls)}", frame):
                raise AttributeError(CHANGED)

        def __setattr__(cls, name, value):
            require_ours(cls, sys._getframe(1))
            change(cls, name, value)

        def __delattr__(cls, name):
            require_ours(cls, sys._getframe(1))
            delete(cls, name)

        ways = {"__setattr__": __setattr__, "__delattr__": __delattr__}
        Watched = self._kept = type("Watched", (type,), ways | {"__slots__": ()})
        for name, way in ways.items():
            _replace(type, name, way)
        return Watched

    # --- modules -------------------------------------------------------------------------------

    def _watch_modules(self, ours):
        there = {id(module): module for module in sys.modules.values()}
        there |= {id(module): module for module in ours.values()}
        self._lend_copies(there)
        watched = self._watched_class()
        for name, module in list(sys.modules.items()):
            if type(module) is ModuleType and not _is_of(name, OURS) and name != "__main__":
                module.__class__ = watched
        stand_in = self._stand_in_class()
        for name, module in ours.items():
            sys.modules[name] = stand_in(name, module)

    def _lend_copies(self, there):
        """Whoever asks for the names of a module gets a copy: what is written there is lost."""
        get = vars(ModuleType)["__dict__"].__get__

        def names_of(module):
            names = get(module)
            if self._tell is None or id(module) not in there:
                return names
            return names if self._stranger(sys._getframe(1)) is None else dict(names)

        _replace(ModuleType, "__dict__", property(names_of))

    def _watched_class(self):
        """The class of a library's module: a change of it is told."""

        class Library(ModuleType):
            __slots__ = ()

            def __new__(cls, *given):  # importlib makes new modules by the class of sys
                return ModuleType(*given)

            def __setattr__(library, name, value):
                self._see_change(library, name, value, sys._getframe(1))
                ModuleType.__setattr__(library, name, value)

            def __delattr__(library, name):
                self._see_change(library, name, None, sys._getframe(1))
                ModuleType.__delattr__(library, name)

        return Library

    def _see_change(self, module, name, value, frame):
        own = _top(self._library(frame) or "") == _top(module.__name__)
        if not (own or _is_child(module, name, value) or name in OPEN_TO_ALL):
            self._see(f"replaces {module.__name__}.{name}", frame, DOCTEST)

    def _stand_in_class(self):
        """The class of what an import finds in place of a module of ours.

        To read a closed module is told, to change any is refused.
        """
        real: dict = {}  # by the id of the stand-in
        stand_ins: dict = {}  # by the id of the module

        class Ours(ModuleType):
            __slots__ = ()

            def __init__(own, name, module):
                ModuleType.__init__(own, name)
                real[id(own)], stand_ins[id(module)] = module, own

            def __getattribute__(own, name):
                module = real[id(own)]
                if name not in ASKED_BY_IMPORT and _is_of(module.__name__, CLOSED):
                    self._see(f"uses {module.__name__}.{name}", sys._getframe(1))
                names = vars(module)
                if name == "__dict__":
                    return dict(names)
                if name not in names:
                    return object.__getattribute__(own, name)
                return stand_ins.get(id(names[name]), names[name])

            __getattr__: Any = Lacking(real)

            def __dir__(own):
                return dir(real[id(own)])

            def __setattr__(own, name, value):
                module, frame = real[id(own)], sys._getframe(1)
                if not _is_child(module, name, value):
                    if self._see(f"replaces {module.__name__}.{name}", frame):
                        raise AttributeError(CHANGED)
                setattr(module, name, value)

            def __delattr__(own, name):
                own.__setattr__(name, None)

        return Ours


ASKED_BY_IMPORT = {
    "__spec__", "__path__", "__name__", "__file__", "__loader__", "__package__", "__doc__",
    "__class__", "__all__", "__cached__",
}  # fmt: skip


def _is_of(name, tops):
    return any(f"{name}.".startswith(f"{top}.") for top in tops)


def _is_graders(thing):
    return _is_of(type(thing).__module__, (*CLOSED, "course"))


class Lacking:
    """Gives the `__getattr__` of the module that a stand-in is for: it asks who called it."""

    def __init__(self, real):
        self.real = real

    def __get__(self, own, cls):
        return vars(self.real[id(own)]).get("__getattr__") or _without(own)


def _without(module):
    def lacks(name):
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    return lacks


def _is_child(module, name, value):
    """Whether an import binds a module's child to its name."""
    return value is not None and sys.modules.get(f"{module.__name__}.{name}") is value


def _top(name):
    return name.partition(".")[0]


def _named(thing):
    name = getattr(thing, "__qualname__", None) or type(thing).__qualname__
    return str(name)[:60]


def _replace(cls, name, value):
    """Put it among the names of a built-in class, which Python itself refuses to change."""
    gc.get_referents(cls.__dict__)[0][name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _at(cls, place):
    """The word of this class's own memory at this place."""
    return ctypes.c_void_p.from_address(id(cls) + place * ctypes.sizeof(ctypes.c_void_p))
