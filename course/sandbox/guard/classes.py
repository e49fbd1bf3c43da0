"""Classes of ours, and those of libraries that we use, cannot be changed."""

from __future__ import annotations

import sys
import weakref

from course.sandbox.guard import added, derived, exact, lent, places
from course.sandbox.guard.asker import OURS, is_of
from course.sandbox.guard.events import CHANGED
from course.sandbox.guard.layout import (
    FLAGS,
    IMMUTABLE,
    freeze,
    replace,
    set_class,
    with_all_below,
    word,
)
from minigrad.optim import Optimizer
from minigrad.optim.hooks import tell_of_steps

LIBRARIES = (
    "contextlib", "weakref", "_weakrefset", "warnings", "random", "collections", "functools",
    "linecache", "operator", "types", "json.encoder", "json.decoder", "copy", "dataclasses", "dis",
)  # fmt: skip
REPLACES = "replaces what the engine calls of a card"
CHANGING = {  # whose instances are given another class of these
    "minigrad.core.storage", "minigrad.ops.versions", "minigrad.autograd.inference",
    "minigrad.autograd.mutation",
}  # fmt: skip
_change, _delete = type.__setattr__, type.__delattr__  # as they are before they are watched


def watch(asker):
    """Make the classes immutable, as built-in ones are.

    An instance whose class is another one later must be of mutable ones: these are watched.
    """
    places.watch(asker)
    added.watch(asker)
    for kind in with_all_below(Optimizer):
        tell_of_steps(kind)  # else the first optimizer of each class would
    watched = _watched_type(asker, *derived.watch(asker))
    freeze(watched)
    _watch_card(asker)
    _let_replay(asker)
    for cls in with_all_below(object):
        if is_of(exact.module_of(cls), OURS):
            lent.fix(cls)
    libraries = [sys.modules[name] for name in LIBRARIES if name in sys.modules]
    for module in [*asker.ours.values(), *libraries]:
        for cls in list(vars(module).values()):
            if not isinstance(cls, type) or cls.__module__ != module.__name__:
                continue
            if cls is weakref.finalize:  # notes in itself that the first one was made
                continue
            if module.__name__ not in CHANGING:
                freeze(cls)
            elif type(cls) is type:
                set_class(cls, watched)


def _watch_card(asker):
    """The engine asks a card itself for its methods."""
    card = sys.modules["minigrad.gpu.simulated"].simulate

    def __setattr__(one, name, value):
        name = exact.text(name)
        if hasattr(card, name) and asker.see(REPLACES, sys._getframe(1), name=name):
            raise AttributeError(CHANGED)
        object.__setattr__(one, name, value)

    card.__setattr__ = __setattr__


def _let_replay(asker):
    """`mg.replay` shows stand-ins in place of a tensor's arrays while it records, and nobody else
    may: for each of these changes the class is a mutable one, and for nothing between them.

    What was shown is not kept, for it leads to the recording and all its buffers.
    """
    from minigrad.replay.session import Session

    stand_ins = vars(sys.modules["minigrad.core.stand_ins"])

    def is_replays(shown):
        reader = getattr(shown, "fget", None)
        return type(getattr(reader, "__self__", None)) is Session

    def require(allowed, cls, name):
        if not allowed:
            raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__name__!r}")

    def change(cls, name, value):
        require(is_replays(value) if type(value) is property else (cls, name) in had, cls, name)
        had.discard((cls, name))
        _thawed(_change, cls, name, value)

    def delete(cls, name):
        require(is_replays(vars(cls)[name]), cls, name)
        _thawed(_delete, cls, name)
        had.add((cls, name))

    had: set = set()  # where something was shown last, until the default is there again
    stand_ins.update(setattr=change, delattr=delete)


def _thawed(change, cls, *given):
    word(cls, FLAGS).value &= ~IMMUTABLE
    try:
        change(cls, *given)
    finally:
        freeze(cls)


def _watched_type(asker, kinds, see_set):
    """A class of classes that only we may change, by whatever way; `kinds` see theirs changed."""

    def see(cls, name, frame):
        see_set(cls, name, frame)
        if type(cls) is Watched and asker.see(f"changes {exact.named(cls)}", frame, name=name):
            raise AttributeError(CHANGED)

    def __setattr__(cls, name, value):
        name, frame = exact.text(name), sys._getframe(1)
        if added.is_free(cls, name) and asker.stranger(frame, name=name):
            return _thawed(_change, cls, name, added.Added(name, value))
        see(cls, name, frame)
        _change(cls, name, value)

    def __delattr__(cls, name):
        name, frame = exact.text(name), sys._getframe(1)
        if added.is_added(cls, name) and asker.stranger(frame, name=name):
            return _thawed(_delete, cls, name)
        see(cls, name, frame)
        _delete(cls, name)

    ways = {"__setattr__": __setattr__, "__delattr__": __delattr__}
    Watched = type("Watched", (type,), ways | {"__slots__": ()})
    for name, way in ways.items():
        for kind in kinds:
            _change(kind, name, way)
        replace(type, name, way)
    return Watched
