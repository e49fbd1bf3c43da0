"""Changes of modules, and reads of our closed ones: an import finds a stand-in for each of ours."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from course.sandbox.guard import exact, lent, written
from course.sandbox.guard.asker import OURS, asks_itself, is_of
from course.sandbox.guard.events import CHANGED
from course.sandbox.guard.layout import freeze, replace

CLOSED = "minigrad.core", "course.trying", "course.cases", "course.sandbox"

# What `doctest` replaces and puts back.
DOCTESTS = {"pdb.set_trace", "linecache.getlines", "_colorize.can_colorize"}
SETS = {"setattr", "delattr", "__setattr__", "__delattr__", "__init__", "reload"}
ENGINE = ("minigrad",)
OTHER = ("a module",)
ASKED_BY_IMPORT = {
    "__spec__", "__path__", "__name__", "__file__", "__loader__", "__package__", "__doc__",
    "__class__", "__all__", "__cached__",
}  # fmt: skip
SHOW = {"inspect", "pydoc"}  # where something stands, or what it says, and can do without
_names_of = vars(ModuleType)["__dict__"].__get__


def watch(asker):
    there = [*sys.modules.items(), *asker.ours.items()]
    known = {id(module): (name, module) for name, module in there}  # alive, so an id is of one
    stand_ins: dict = {}  # by the id of the module
    _lend_copies(asker, known, stand_ins)
    change = written.watch(asker, known.values())
    library, make = _library_class(asker, known, change), _stand_in_maker(asker, stand_ins, change)
    for name, module in list(sys.modules.items()):
        if type(module) is ModuleType and name not in asker.ours and name != "__main__":
            module.__class__ = library
    for name, module in asker.ours.items():
        sys.modules[name] = make(name, module)
    freeze(library)


def _lend_copies(asker, known, stand_ins):
    """A learner who asks for the names of a module gets a copy: what is written there is lost."""

    def names_of(module):
        names = _names_of(module)
        if id(module) in known and asker.stranger(sys._getframe(1), name="__dict__"):
            return _lent(names, stand_ins)
        return names

    replace(ModuleType, "__dict__", property(names_of))


def _lent(names, stand_ins):
    """A copy of a module's names, with stand-ins for modules of ours among them."""
    ours = id(names) in stand_ins
    found = {name: stand_ins.get(id(value), value) for name, value in names.items()}
    return {name: lent.copy(value) for name, value in found.items()} if ours else found


def _library_class(asker, known, change):
    """The class of a library's module: a change of it is told."""

    class Library(ModuleType):
        __slots__ = ()

        def __new__(cls, *given):  # importlib makes new modules by the class of sys
            return ModuleType(*given)

        def __init__(library, *given):
            """Its names anew; of one that nobody had before, its first."""
            if id(library) in known:
                _see_change(asker, known[id(library)][0], "__name__", sys._getframe(1))
            ModuleType.__init__(library, *given)

        def __setattr__(library, name, value):
            name, whose = exact.text(name), known.get(id(library), OTHER)[0]
            frame = sys._getframe(1)
            if f"{whose}.{name}" in DOCTESTS and asker.library(frame) == "doctest":
                return ModuleType.__setattr__(library, name, value)  # told if it stays so
            if not _is_child(asker, library, whose, name, value, frame):
                _see_change(asker, whose, name, frame)
            change(frame, ModuleType.__setattr__, library, name, value)

        def __delattr__(library, name):
            name, whose = exact.text(name), known.get(id(library), OTHER)[0]
            _see_change(asker, whose, name, sys._getframe(1))
            change(sys._getframe(1), ModuleType.__delattr__, library, name)

    return Library


def _see_change(asker, whose, name, frame):
    if name in written.OPEN or _is_own_doing(asker, whose, name, frame):
        return
    if asker.see(f"replaces {whose}.{name}", frame, name=name):
        if is_of(whose, OURS):
            raise AttributeError(CHANGED)


def _is_own_doing(asker, whose, name, frame):
    """Whether a library changes itself, and not what it was handed in C: that, setattr, is none of
    the names that its function has.
    """
    itself = asks_itself(frame, name) or SETS.intersection(frame.f_code.co_names)
    return itself and _top(asker.library(frame) or "") == _top(whose)


def _is_child(asker, module, whose, name, value, frame):
    """Whether an import binds a module's child to its name for the first time."""
    imports = (asker.library(frame) or "").startswith("importlib.")
    if not imports or name in _names_of(module):
        return False
    return exact.is_a(value, ModuleType) and sys.modules.get(f"{whose}.{name}") is value


def _is_note(module, name):
    """Whether a module of the engine's has nothing of that name, and never will: a learner's own
    then stands beside it, where the engine does not look.
    """
    whose = module.__name__
    if not is_of(whose, ENGINE) or is_of(whose, CLOSED) or name[:1] == "_":
        return False
    if name in _names_of(module) or f"{whose}.{name}" in sys.modules:
        return False
    places = [os.path.join(folder, name) for folder in _names_of(module).get("__path__", ())]
    return not any(os.path.exists(f"{place}{end}") for place in places for end in ("", ".py"))


def _top(name):
    return name.partition(".")[0]


def _stand_in_maker(asker, stand_ins, change):
    """Makes what an import finds in place of a module of ours.

    To read a closed module is told, to change any is refused; a list, dict or set of an open one
    is lent as a copy.
    """
    real: dict = {}  # by the id of the stand-in
    names_of: dict = {}
    closed: set = set()  # the ids of stand-ins for closed modules

    class Lacks:
        """Gives the `__getattr__` of the module itself: it asks who called it."""

        __slots__ = ()

        def __get__(lacks, own, cls):
            return _names_of(real[id(own)]).get("__getattr__") or _without(own)

    class Ours(ModuleType):
        __slots__ = ()
        __getattr__: Any = Lacks()

        def __getattribute__(own, name):
            name, names = exact.text(name), names_of[id(own)]
            if id(own) in closed and name not in ASKED_BY_IMPORT:
                if asker.library(sys._getframe(1)) in SHOW:
                    if name == "__dict__":
                        return {}
                    raise AttributeError(name)
                asker.see(f"uses {names['__name__']}.{name}", sys._getframe(1), name=name)
            if name == "__dict__":
                return _lent(names, stand_ins)
            if name not in names:
                return object.__getattribute__(own, name)
            value = names[name]
            if lent.is_open(value) and asker.stranger(sys._getframe(1), name=name):
                return lent.copy(value)
            return stand_ins.get(id(value), value)

        def __dir__(own):
            return dir(real[id(own)])

        def __setattr__(own, name, value):
            name, module, frame = exact.text(name), real[id(own)], sys._getframe(1)
            if asker.armed and _is_note(module, name) and asker.stranger(frame, name=name):
                return ModuleType.__setattr__(own, name, value)
            if not _is_child(asker, module, module.__name__, name, value, frame):
                _see_change(asker, module.__name__, name, frame)
            change(frame, ModuleType.__setattr__, module, name, value)

        def __delattr__(own, name):
            name, module = exact.text(name), real[id(own)]
            if name in _names_of(own) and name not in _names_of(module):
                return ModuleType.__delattr__(own, name)
            _see_change(asker, module.__name__, name, sys._getframe(1))
            change(sys._getframe(1), ModuleType.__delattr__, module, name)

    def make(name, module):
        own = Ours(name)
        real[id(own)], names_of[id(own)] = module, vars(module)
        stand_ins[id(module)] = stand_ins[id(vars(module))] = own
        if is_of(name, CLOSED):
            closed.add(id(own))
        return own

    for cls in (Lacks, Ours):
        freeze(cls)
    return make


def _without(module):
    def lacks(name):
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    return lacks
