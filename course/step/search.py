"""Who holds these objects? Python is asked, level by level, until somebody has a name.

The answers are for people: `name box.h`, `variable k of the function pull`. Nothing of the search
stays, and nothing is collected: a recording must not change what it measures. It knows no engine;
an `engine` tells which objects have cards of their own, and what these hold unseen.
"""

from __future__ import annotations

import gc
import sys
import types
from collections import deque
from pathlib import Path

import numpy as np

LEVELS = 9
OURS = str(Path(__file__).parent), str(Path(__file__).parents[2] / "minigrad" / "trace")
RUNNING = "a statement that is still running"
CONTAINERS = (list, tuple, deque)


class Search:
    """One look at all objects. `found` has {thing: [[holder or None, words], ...]}.

    A step is how an object leads on: ("[", 0), (".", "h") or ("", None). Of each object that leads
    to a thing, the search keeps the steps from there on.
    """

    def __init__(self, things: dict, engine, namespace):
        self.engine, self.namespace = engine, namespace
        self.found: dict = {thing: [] for thing in things}
        self.seen: set = set()
        self.late: dict = {}  # thing -> words, if nobody is found who has a name
        self.locals = _locals(engine.inside)
        for name, value in namespace.items():
            for base in _bases(value):
                self.locals.setdefault(id(base), []).append(f"name {name}, an array on its bytes")
        self.level = [(thing, value, ()) for thing, value in things.items()]
        self.mine = {id(things), id(self.__dict__), id(self.locals), id(engine.recorder)}
        self.mine.add(id(vars(engine.recorder)))
        for _ in range(LEVELS):
            self._climb()
        self.level = []
        for thing, words in self.late.items():
            if not self.found[thing]:
                self._tell(thing, None, words)

    def _climb(self):
        """From what is looked for to those who refer to it."""
        level, self.level = self.level, []
        places: dict = {}
        for row in level:
            thing, value, steps = row
            places.setdefault(id(value), []).append(row)
            for words in self.locals.get(id(value), ()):
                self._tell(thing, None, words.format(written(steps)))
        self.mine |= {id(level), id(self.level), *map(id, level)}
        for holder in gc.get_referrers(*[value for _, value, _ in level]) if level else ():
            if id(holder) not in self.mine:
                for value in gc.get_referents(holder):
                    for thing, _, steps in places.get(id(value), ()):
                        self._meet(thing, holder, value, steps)

    def _meet(self, thing, holder, value, steps):
        """`holder` refers to `value`, which leads to the thing: an answer, or a way up?"""
        card = self.engine.card(holder)
        if card is not None:
            for words in self.engine.unseen(holder, *_attribute(holder, value, steps)):
                self._tell(thing, card, words)
        elif isinstance(holder, types.FrameType | types.GeneratorType):
            self._meet_frame(thing, holder, value, steps)
        elif isinstance(holder, types.FunctionType) and value is not holder.__dict__:
            for words in _of_function(holder, value, steps):
                self._tell(thing, None, words)
        elif (where := self._module(holder)) is not None:
            for key in [k for k, v in holder.items() if v is value and not k.startswith("__")]:
                self._tell(thing, None, f"name {key}{written(steps)}{where}")
        elif not isinstance(holder, types.ModuleType):
            self._go_on(thing, holder, _step(holder, value, steps))

    def _meet_frame(self, thing, holder, value, steps):
        """A call that waits, as a generator does, or is over and belongs to a traceback."""
        waits = isinstance(holder, types.GeneratorType)
        frame = holder.gi_frame if waits else holder
        how = ", a generator" if waits else ", by its traceback"
        for name in _names(frame, value):
            if not self.engine.inside(frame.f_code.co_filename):
                how += ": " + name.format(written(steps))
            self.late[thing] = "something without a name" + how
            self._go_on(thing, holder, ((how, None),))
            return

    def _go_on(self, thing, holder, steps):
        """The holder has no name: who holds it?"""
        if (thing, id(holder)) not in self.seen:
            self.seen.add((thing, id(holder)))
            self.level.append((thing, holder, steps))

    def _module(self, holder) -> str | None:
        """Whose names these are: "" for the snippet's own."""
        if holder is self.namespace:
            return ""
        name = holder.get("__name__") if isinstance(holder, dict) else None
        module = sys.modules.get(name) if isinstance(name, str) else None
        return f" of {name}" if module is not None and vars(module) is holder else None

    def _tell(self, thing, holder, words):
        if [holder, words] not in self.found[thing]:
            self.found[thing].append([holder, words])


# -- steps --


def _step(holder, value, steps) -> tuple:
    """The steps from `holder` on."""
    if isinstance(holder, CONTAINERS):
        return ("[", next(i for i, v in enumerate(holder) if v is value)), *steps
    if isinstance(holder, dict):
        return ("[", next((k for k, v in holder.items() if v is value), None)), *steps
    name, rest = _attribute(holder, value, steps)
    return ((".", name) if name else ("", None)), *rest


def _attribute(holder, value, steps) -> tuple:
    """The name of the attribute that is or holds `value`, and the steps from there on."""
    own = getattr(holder, "__dict__", None)
    if steps and steps[0][0] == "[" and (own is value or _is_class_dict(holder, value)):
        return str(steps[0][1]), steps[1:]
    if type(own) is dict:
        for name in [k for k, v in own.items() if v is value]:
            return name, steps
    if isinstance(holder, types.BuiltinMethodType | types.MethodType):
        return "__self__", steps
    return "", steps


def _is_class_dict(holder, value) -> bool:
    return isinstance(holder, type) and isinstance(value, dict)


def written(steps) -> str:
    """`.h[0]`"""
    return "".join(f"[{key!r}]" if how == "[" else f"{how}{key or ''}" for how, key in steps)


def _bases(value):
    """What a numpy array keeps alive; Python's collector, which answers here, knows no arrays."""
    while isinstance(value, np.ndarray) and value.base is not None:
        value = value.base
        yield value


# -- functions and calls --


def _of_function(function, value, steps):
    """Which variable of a function, or which default, leads to the thing."""
    code, place = function.__code__, steps[0][1] if steps else None
    if value is function.__closure__:
        yield f"variable {code.co_freevars[place]}{written(steps[2:])} of {_called(function)}"
    elif value is function.__defaults__:
        arguments = code.co_varnames[: code.co_argcount][-len(value) :]
        yield f"default {arguments[place]}{written(steps[1:])} of {_called(function)}"
    elif value is function.__kwdefaults__:
        yield f"default {place}{written(steps[1:])} of {_called(function)}"


def _called(function) -> str:
    return "a lambda" if function.__name__ == "<lambda>" else f"the function {function.__name__}"


def _locals(inside) -> dict:
    """{address: [words]} of the variables of the calls that are running; a place is for steps."""
    found: dict = {}
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OURS) and frame.f_locals is not frame.f_globals:
            for name, value in _variables(frame):
                words = RUNNING if inside(frame.f_code.co_filename) else f"name {_in(name, frame)}"
                found.setdefault(id(value), []).append(words)
        frame = frame.f_back
    return found


def _names(frame, value):
    """The variables of a call that are this value, or whose cell it is."""
    content = value.cell_contents if isinstance(value, types.CellType) else value
    return [_in(name, frame) for name, other in _variables(frame) if other is content]


def _in(name, frame) -> str:
    """As a name's card says it; braces where steps go."""
    return f"{frame.f_code.co_name}.{name}{{}}".replace("<", "").replace(">", "")


def _variables(frame) -> list:
    variables = frame.f_locals
    found = list(variables.items())
    if type(variables) is dict and frame.f_code.co_flags & 1:  # CO_OPTIMIZED
        variables.clear()  # up to Python 3.12 a copy that the frame would keep, and all in it
    return found
