"""Changes of modules, and reads of our closed ones: an import finds a stand-in for each of ours."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from course.sandbox.guard.asker import OURS, is_of
from course.sandbox.guard.classes import freeze
from course.sandbox.guard.events import CHANGED, DOCTEST
from course.sandbox.guard.looks import replace

CLOSED = "minigrad.core", "course.trying", "course.cases", "course.sandbox"
OPEN_TO_ALL = {"stdin", "stdout", "stderr", "displayhook", "excepthook", "_"}  # of sys, builtins
ASKED_BY_IMPORT = {
    "__spec__", "__path__", "__name__", "__file__", "__loader__", "__package__", "__doc__",
    "__class__", "__all__", "__cached__",
}  # fmt: skip


def watch(asker):
    there = {id(module): module for module in [*sys.modules.values(), *asker.ours.values()]}
    stand_ins: dict = {}  # by the id of the module
    _lend_copies(asker, there, stand_ins)
    library, stand_in = _library_class(asker), _stand_in_class(asker, stand_ins)
    for name, module in list(sys.modules.items()):
        if type(module) is ModuleType and name not in asker.ours and name != "__main__":
            module.__class__ = library
    for name, module in asker.ours.items():
        sys.modules[name] = stand_in(name, module)
    freeze(library)
    freeze(stand_in)


def _lend_copies(asker, there, stand_ins):
    """A learner who asks for the names of a module gets a copy: what is written there is lost."""
    get = vars(ModuleType)["__dict__"].__get__

    def names_of(module):
        names = get(module)
        if id(module) in there and asker.stranger(sys._getframe(1)):
            return _lent(names, stand_ins)
        return names

    replace(ModuleType, "__dict__", property(names_of))


def _lent(names, stand_ins):
    """A copy of a module's names, with stand-ins for modules of ours among them."""
    return {name: stand_ins.get(id(value), value) for name, value in names.items()}


def _library_class(asker):
    """The class of a library's module: a change of it is told."""

    class Library(ModuleType):
        __slots__ = ()

        def __new__(cls, *given):  # importlib makes new modules by the class of sys
            return ModuleType(*given)

        def __setattr__(library, name, value):
            _see_change(asker, library, name, value, sys._getframe(1))
            ModuleType.__setattr__(library, name, value)

        def __delattr__(library, name):
            _see_change(asker, library, name, None, sys._getframe(1))
            ModuleType.__delattr__(library, name)

    return Library


def _see_change(asker, module, name, value, frame):
    if name in OPEN_TO_ALL or _is_child(asker, module, name, value, frame):
        return
    if _top(asker.library(frame) or "") == _top(module.__name__):  # a library's own doing
        return
    if asker.see(f"replaces {module.__name__}.{name}", frame, DOCTEST):
        if is_of(module.__name__, OURS):
            raise AttributeError(CHANGED)


def _is_child(asker, module, name, value, frame):
    """Whether an import binds a module's child to its name."""
    imports = (asker.library(frame) or "").startswith("importlib.")
    known = sys.modules.get(f"{module.__name__}.{name}")
    return imports and isinstance(value, ModuleType) and known is value


def _top(name):
    return name.partition(".")[0]


def _stand_in_class(asker, stand_ins):
    """The class of what an import finds in place of a module of ours.

    To read a closed module is told, to change any is refused.
    """
    real: dict = {}  # by the id of the stand-in
    closed: set = set()  # the ids of stand-ins for closed modules

    class Lacks:
        """Gives the `__getattr__` of the module itself: it asks who called it."""

        __slots__ = ()

        def __get__(lacks, own, cls):
            return vars(real[id(own)]).get("__getattr__") or _without(own)

    class Ours(ModuleType):
        __slots__ = ()
        __getattr__: Any = Lacks()

        def __init__(own, name, module):
            ModuleType.__init__(own, name)
            real[id(own)], stand_ins[id(module)] = module, own
            if is_of(name, CLOSED):
                closed.add(id(own))

        def __getattribute__(own, name):
            module = real[id(own)]
            if id(own) in closed and name not in ASKED_BY_IMPORT:
                asker.see(f"uses {module.__name__}.{name}", sys._getframe(1))
            names = vars(module)
            if name == "__dict__":
                return _lent(names, stand_ins)
            if name not in names:
                return object.__getattribute__(own, name)
            return stand_ins.get(id(names[name]), names[name])

        def __dir__(own):
            return dir(real[id(own)])

        def __setattr__(own, name, value):
            module = real[id(own)]
            _see_change(asker, module, name, value, sys._getframe(1))
            ModuleType.__setattr__(module, name, value)

        def __delattr__(own, name):
            _see_change(asker, real[id(own)], name, None, sys._getframe(1))
            ModuleType.__delattr__(real[id(own)], name)

    freeze(Lacks)
    return Ours


def _without(module):
    def lacks(name):
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    return lacks
