"""A name that PyTorch has and minigrad lacks ends in an AttributeError with one sentence of help.

The error's own text is Python's; the sentence is a note on it. A name that PyTorch lacks as well,
a slip of the pen, is told as Python tells it. `asked` has the last of those asked for, so that a
program that swallows the error can still be told why it went wrong.
"""

from __future__ import annotations

import sys
from collections import deque
from opcode import opname
from typing import TYPE_CHECKING, Any, NamedTuple

from minigrad.missing.pytorch import known, names, sentence

INSTRUCTIONS = tuple(opname)  # a list, which anybody may change
del opname


class Asked(NamedTuple):
    """A name that was asked for: the sentence, and the line of the program that asked."""

    sentence: str
    file: str
    line: int


asked: deque = deque(maxlen=20)  # by an expression or an import; hasattr() is only curious


def told(error, full_name: str, frame):
    """`error` with the sentence as its note; `frame` is where the name was asked for."""
    modules = (key for key, value in frame.f_globals.items() if value is sys.modules["minigrad"])
    error.add_note(sentence(full_name, next(modules, "mg")))
    if _doing(frame) in ("LOAD", "IMPORT"):
        asked.append(Asked(error.__notes__[-1], frame.f_code.co_filename, frame.f_lineno))
    return error


def _doing(frame) -> str:
    """The first word of the instruction at work: LOAD, IMPORT, or a call, as of hasattr()."""
    steps = frame.f_code.co_code
    return INSTRUCTIONS[steps[at_work(steps, frame.f_lasti)]].split("_")[0]


def at_work(steps, at) -> int:
    """Where the instruction begins; a frame of Python 3.12 may stand in what is kept behind it."""
    while INSTRUCTIONS[steps[at]] == "CACHE":
        at -= 2
    return at


# -- names of modules --


def of_module(module: str):
    """The module's __getattr__, which Python calls for a name that is not there."""
    place = module.replace("minigrad", "torch", 1)

    def __getattr__(name):
        text, found = f"module {module!r} has no attribute {name!r}", known([place], name)
        if not found:
            raise AttributeError(text)
        frame = sys._getframe(1)
        if _doing(frame) == "IMPORT":  # Python would word its ImportError without our note
            text = f"cannot import name {name!r} from {module!r}"
            file = sys.modules[module].__file__
            raise told(ImportError(f"{text} ({file})", name=name, path=file), found, frame)
        raise told(AttributeError(text), found, frame)

    return __getattr__


class Finder:
    """The last to be asked for a module: it knows those that PyTorch has and minigrad lacks."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        module, _, leaf = name.rpartition(".")
        place = module.replace("minigrad", "torch", 1)
        if module.split(".")[0] == "minigrad" and place in names():
            if found := known([place], leaf):
                text, frame = f"No module named {name!r}", _importing(sys._getframe(1))
                raise told(ModuleNotFoundError(text, name=name), found, frame)


def _importing(frame):
    """The frame whose import statement led here."""
    while frame.f_back and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame


# -- attributes of things --


class Lacking:
    """Stands on a class for one name. Where speed counts: a class with a __getattr__ has slower
    attributes, all of them, in Python 3.11."""

    def __init__(self, full_name: str):
        self.full_name, self.name = full_name, full_name.rpartition(".")[2]

    def __get__(self, thing, kind):
        who = f"type object {kind.__name__!r}" if thing is None else f"{kind.__name__!r} object"
        text = f"{who} has no attribute {self.name!r}"
        raise told(AttributeError(text), self.full_name, sys._getframe(1))


class Face(type):
    """A metaclass: dir() and help() of the class do not list what is Lacking."""

    def __dir__(cls):
        return _present(cls.__mro__, type.__dir__(cls))

    if TYPE_CHECKING:  # what is attached to Tensor

        def __getattr__(cls, name: str) -> Any: ...


def _present(places, found) -> list:
    """The names in `found` without those that are Lacking in the first of `places` to have them."""
    by_name: dict = {}
    for place in reversed(places):
        by_name |= getattr(place, "__dict__", {})
    return [name for name in found if type(by_name.get(name)) is not Lacking]


def stand_in(cls, place: str) -> None:
    """A Lacking for each name that PyTorch's class of this place has, and `cls` lacks."""
    for name in names()[place]:
        if name[0] != "_" and not hasattr(cls, name):
            setattr(cls, name, Lacking(f"{place}.{name}"))
    cls.__dir__ = lambda self: _present([self, *cls.__mro__], object.__dir__(self))


def of_thing(places: dict, hides=()):
    """The __getattr__ of a class whose speed does not count; {class: place}, those below too.

    Those that `hides` names have none either where it is a property's code that found none."""

    def __getattr__(self, name):
        try:
            if isinstance(self, hides):
                text = f"{type(self).__name__!r} object has no attribute {name!r}"
                raise AttributeError(text, name=name, obj=self)
            return object.__getattribute__(self, name)  # again: the error may be a property's own
        except AttributeError as error:
            mine = [place for kind, place in places.items() if isinstance(self, kind)]
            if not hasattr(type(self), name) and (found := known(mine, name)):
                told(error, found, sys._getframe(1))
            raise

    return __getattr__
