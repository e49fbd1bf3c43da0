"""Classes of ours, and those of libraries that we use, cannot be changed; and who derives from one
that the engine calls back hears what the engine alone hears.
"""

from __future__ import annotations

import ctypes
import sys
import weakref

from course.sandbox.guard import exact, lent
from course.sandbox.guard.events import CHANGED
from course.sandbox.guard.looks import replace

IMMUTABLE = 1 << 8  # of a class's flags: Python refuses to set its attributes
TYPE, FLAGS = 1, 21  # where a class has its own class, and its flags, in words
LIBRARIES = (
    "contextlib", "weakref", "_weakrefset", "warnings", "random", "collections", "functools",
    "linecache", "operator", "types", "json.encoder", "json.decoder", "copy", "dataclasses", "dis",
)  # fmt: skip
CALLED_BACK = (  # observers, nodes and their rules, and a card: of all of it
    ("minigrad.core.observer", "Observer"), ("minigrad.core.node", "Node"),
    ("minigrad.core.op", "Op"), ("minigrad.gpu.simulated", "simulate"),
)  # fmt: skip
REPLACES = "replaces what the engine calls of a card"
DERIVES = "derives a class from one that the engine calls back"
CHANGING = {  # whose instances are given another class of these
    "minigrad.core.storage", "minigrad.ops.versions", "minigrad.autograd.inference",
    "minigrad.autograd.mutation",
}  # fmt: skip


def watch(asker):
    """Make the classes immutable, as built-in ones are.

    An instance whose class is another one later must be of mutable ones: these are watched.
    """
    watched = _watched_type(asker)
    freeze(watched)
    _watch_derived(asker)
    _watch_card(asker)
    _let_replay(asker)
    libraries = [sys.modules[name] for name in LIBRARIES if name in sys.modules]
    for module in [*asker.ours.values(), *libraries]:
        for cls in list(vars(module).values()):
            if not isinstance(cls, type) or cls.__module__ != module.__name__:
                continue
            if cls is weakref.finalize:  # notes in itself that the first one was made
                continue
            if module.__name__ in asker.ours:
                lent.fix(cls)
            if module.__name__ not in CHANGING:
                freeze(cls)
            elif type(cls) is type:
                _require_known(cls)
                _at(cls, TYPE).value = id(watched)
                ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _watch_derived(asker):
    """Of a tensor only what the engine has for itself may not be another's."""
    tensor = sys.modules["minigrad"].Tensor
    private = {name for name in (*vars(tensor), *tensor.__annotations__) if name[:1] == "_"}
    private = {name for name in private if name[:2] != "__"}
    for module, name in CALLED_BACK:
        _hear(asker, getattr(sys.modules[module], name), lambda cls: True)
    _hear(asker, tensor, lambda cls: private & vars(cls).keys())


def _watch_card(asker):
    """The engine asks a card itself for its methods."""
    card = sys.modules["minigrad.gpu.simulated"].simulate

    def __setattr__(one, name, value):
        if hasattr(card, name) and not asker.is_ours(frame := sys._getframe(1)):
            asker.see(REPLACES, frame)
        object.__setattr__(one, name, value)

    card.__setattr__ = __setattr__


def _hear(asker, base, is_told):
    """Tell of each class that a learner's code derives from this one."""
    before = vars(base).get("__init_subclass__")

    def derived(cls, **options):
        if before is None:
            super(base, cls).__init_subclass__(**options)
        else:
            before.__func__(cls, **options)
        frame = sys._getframe(1)
        if is_told(cls) and not asker.is_ours(frame):
            asker.see(DERIVES, frame)

    base.__init_subclass__ = classmethod(derived)


def _let_replay(asker):
    """`mg.replay` shows stand-ins in place of a tensor's arrays while it records, and nobody else
    may: for each of these changes the class is a mutable one, and for nothing between them.
    """
    from minigrad.replay.session import Session

    stand_ins = vars(sys.modules["minigrad.core.stand_ins"])

    def require_replays(cls, name, shown):
        reader = getattr(shown, "fget", None)
        if type(getattr(reader, "__self__", None)) is not Session:
            raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__name__!r}")

    def change(cls, name, value):
        require_replays(cls, name, value if type(value) is property else had.pop((cls, name), None))
        _thawed(type.__setattr__, cls, name, value)

    def delete(cls, name):
        require_replays(cls, name, vars(cls)[name])
        had[cls, name] = vars(cls)[name]
        _thawed(type.__delattr__, cls, name)

    had: dict = {}  # what was shown last, until its default is there again
    stand_ins.update(setattr=change, delattr=delete)


def _thawed(change, cls, *given):
    _at(cls, FLAGS).value &= ~IMMUTABLE
    try:
        change(cls, *given)
    finally:
        freeze(cls)


def freeze(cls):
    _require_known(cls)
    _at(cls, FLAGS).value |= IMMUTABLE
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _require_known(cls):
    if (_at(cls, TYPE).value, _at(cls, FLAGS).value) != (id(type(cls)), cls.__flags__):
        raise RuntimeError("this Python lays out a class in another way")


def _at(cls, place):
    """The word of this class's own memory at this place."""
    return ctypes.c_void_p.from_address(id(cls) + place * ctypes.sizeof(ctypes.c_void_p))


_kept: list = []  # classes that are known by their address


def _watched_type(asker):
    """A class of classes that only we may change, by whatever way."""
    change, delete = type.__setattr__, type.__delattr__

    def require_ours(cls, frame):
        if type(cls) is Watched and asker.see(f"changes {exact.named(cls)}", frame):
            raise AttributeError(CHANGED)

    def __setattr__(cls, name, value):
        require_ours(cls, sys._getframe(1))
        change(cls, name, value)

    def __delattr__(cls, name):
        require_ours(cls, sys._getframe(1))
        delete(cls, name)

    ways = {"__setattr__": __setattr__, "__delattr__": __delattr__}
    Watched = type("Watched", (type,), ways | {"__slots__": ()})
    _kept.append(Watched)
    for name, way in ways.items():
        replace(type, name, way)
    return Watched
