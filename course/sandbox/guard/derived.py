"""Who derives a class from one that the engine calls back hears what the engine alone hears.

Their metaclass sees it, which no other base class can hide: of an observer, a node, a rule, a card
or a generator all is told, of a tensor what the engine would call or find there. What is put there
later is seen as well.
"""

from __future__ import annotations

import sys
from types import FunctionType

from course.sandbox.guard import exact
from course.sandbox.guard.events import CHANGED
from course.sandbox.guard.layout import is_frozen, replace, set_class, with_all_below

CALLED_BACK = (  # observers, nodes and their rules, a card, and who draws: of all of it
    ("minigrad.core.observer", "Observer"), ("minigrad.core.node", "Node"),
    ("minigrad.core.op", "Op"), ("minigrad.gpu.simulated", "simulate"),
    ("minigrad.ops.generator", "Generator"),
)  # fmt: skip
MAKES = "minigrad.core.function.__init_subclass__"  # a node for each function of a learner's
DERIVES = "derives a class from one that the engine calls back"


class _Any:
    """Has what Python itself puts into a class's body: other names in each version."""

    _number: int = 0

    def _set(self):
        self._number = 1


FREE = {  # which a class of tensors may have for itself
    "__module__", "__qualname__", "__doc__", "__annotations__", "__init__", "__new__", "__repr__",
    "__format__", "__dir__", "__copy__", "__deepcopy__",
} | (vars(_Any).keys() - {"_number", "_set", "__dict__", "__weakref__"})  # fmt: skip
ASKED = {  # of any object, by Python itself
    "__setattr__", "__getattribute__", "__getattr__", "__delattr__", "__class__", "__dict__",
    "__bases__", "__del__", "__getstate__", "__array_ufunc__", "__array_function__",
    "__array_interface__", "__array_struct__",
}  # fmt: skip


def watch(asker):
    """Let the metaclass that was Tensor's see it, and one for those that had none.

    Both, and a function that sees what one of their classes is given later.
    """
    tensor = sys.modules["minigrad"].Tensor
    face, names, ours = type(tensor), _of_the_engine(tensor), with_all_below(tensor)
    for cls in ours:  # what nobody need find there
        cls.__annotations__ = {k: v for k, v in _annotations(cls).items() if k[:1] != "_"}
    called = [getattr(sys.modules[module], name) for module, name in CALLED_BACK]
    heard = type("Heard", (type,), {"__slots__": ()})
    for cls in dict.fromkeys(below for base in called for below in with_all_below(base)):
        set_class(cls, heard)
    kinds, known = (face, heard), {id(cls) for cls in ours}

    def see_made(meta, bases, own, frame):
        if not any(issubclass(base, (tensor, *called)) for base in bases):
            return
        mixed = any(type(base) not in kinds and not is_frozen(base) for base in bases)
        if meta is not face or mixed or not names.isdisjoint(own):
            if asker.place_of(frame) != MAKES:
                asker.see(DERIVES, frame)

    def see_set(cls, name, frame):
        if not issubclass(type(cls), kinds) or is_frozen(cls):  # which Python refuses to change
            return
        if id(cls) in known and asker.see(f"changes {exact.named(cls)}", frame, name=name):
            raise AttributeError(CHANGED)
        if issubclass(cls, (tensor, *called)) and (name in names or type(cls) is not face):
            asker.see(DERIVES, frame, name=name)

    _watch_metaclasses(kinds, see_made)
    return kinds, see_set


def _watch_metaclasses(kinds, see_made):
    make = type.__new__

    def __new__(meta, name, bases, names, /, **options):
        bases = exact.parts(bases)
        names = {exact.text_or(key, key): value for key, value in dict.items(names)}
        if issubclass(meta, kinds):
            see_made(meta, bases, {*names, *_slots(names)}, sys._getframe(1))
        return make(meta, name, bases, names, **options)

    for kind in kinds:
        kind.__new__ = staticmethod(__new__)
    replace(type, "__new__", staticmethod(__new__))  # a metaclass of a learner's own asks for it


def _slots(names):
    """The names that the class's objects shall have places for."""
    slots = names.get("__slots__", ())
    if exact.is_a(slots, str):
        return {exact.text(slots)}
    return () if type(slots) in (tuple, list) and not slots else {"__dict__"}


def _of_the_engine(tensor):
    """Of a tensor, what is the engine's own, and what the engine asks without a call."""
    found = set(ASKED)
    for cls in with_all_below(tensor):
        found |= {name for name in _annotations(cls) if name[:1] == "_"}
        found |= {
            name
            for name, value in vars(cls).items()
            if name[:1] == "_" or not isinstance(value, FunctionType | staticmethod | classmethod)
            if type(value).__name__ != "Lacking"
        }
    return frozenset(found - FREE)


def _annotations(cls):
    return vars(cls).get("__annotations__", {})
