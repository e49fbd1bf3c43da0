"""Who refers to these objects? All of Python's objects are asked, until somebody has a name.

It takes a while, so it is for what is held from outside of the program: a list of another module,
a hook that only C++ knows. Nothing of the search stays, and nothing is collected: a recording must
not change what it measures.
"""

from __future__ import annotations

import gc
import sys
import types

from whoholds.holders.objects import TRACEBACK, below, of_call
from whoholds.holders.unasked import own_dict

LEVELS = 12  # an object and the dict of its attributes are two


class Search:
    """`found` has {thing: [[card or None, words], ...]} of {thing: object}; `rings` are the things
    whose holders hold each other, and that nobody else holds.

    On the way up goes a row: the thing, the object that leads to it, the words from there on, and
    the last cell of a closure that was passed.
    """

    def __init__(self, things: dict, engine):
        self.engine = engine
        self.found: dict = {thing: [] for thing in things}
        self.late: dict = {}  # thing -> the function that leads to it, if nobody has that function
        self.level: list = [(thing, value, "", None) for thing, value in things.items()]
        self.seen = {id(things), id(vars(self)), *map(id, engine.mine())}  # no holders of ours
        # What cards hold beside their arrows: `reach` goes down from it, but into no class.
        self.kept = {id(one): (card, words) for card, words, one in engine.unseen(things)}
        # Things and their holders: what one leads to may be on another's way, as in a chain.
        self.met: set = set()
        self.ends: set = set()  # things on whose way up is an object that no other refers to
        gc.unfreeze()  # what `gc.freeze()` has put out of sight holds things, too
        for _ in range(LEVELS):
            self._climb()
        self.ends.update(thing for thing, *_ in self.level)  # or the way was too long
        self.level = []
        for thing, words in self.late.items():
            if words and not self.found[thing]:
                self._tell(thing, words)
        self.rings = {thing for thing, by in self.found.items() if not by} - self.ends

    def _climb(self):
        """From what is looked for to those who refer to it."""
        level, self.level = self.level, []
        sought: dict = {}
        lone = {id(row[1]) for row in level}
        for row in level:
            sought.setdefault(id(row[1]), []).append(row)
        self.seen |= {id(level), id(self.level), id(sought), id(lone), *map(id, level)}
        self.seen |= set(map(id, sought.values()))
        values = tuple([row[1] for row in level])
        self.seen.add(id(values))  # Python 3.13 finds the arguments of a call, too
        for holder in gc.get_referrers(*values) if level else ():
            if id(holder) in self.seen:
                continue
            for value in gc.get_referents(holder):
                lone.discard(id(value))
                for thing, _, words, cell in sought.get(id(value), ()):
                    if (thing, id(holder)) not in self.met:
                        self.met.add((thing, id(holder)))
                        self._meet(thing, holder, value, words, cell)
        self.ends.update(row[0] for row in level if id(row[1]) in lone)

    def _meet(self, thing, holder, value, words, cell):
        """`holder` refers to `value`, which leads to the thing: an answer, or a way up?"""
        if type(holder) is types.ModuleType or type(holder) is type(value) is types.FrameType:
            return
        if self.engine.card(holder) is not None:
            self.late[thing] = ""  # it has a card, and `reach` has asked it
        elif (module := _module(holder)) is not None:
            name = next(name for name, one in holder.items() if one is value)
            self._tell(thing, f"name {name}{words} of {module}")
        else:
            step = _step(holder, value, words, self.engine)
            if type(holder) is types.FunctionType:
                self.late.setdefault(thing, _variable(holder, cell) + (words if cell else step))
            passed = holder if type(holder) is types.CellType else cell
            self.level.append((thing, holder, step, passed))
            if (kept := self.kept.get(id(holder))) is not None:
                self._tell(thing, kept[1] + step, kept[0])

    def _tell(self, thing, words, card=None):
        if [card, words] not in self.found[thing]:
            self.found[thing].append([card, words])


def _step(holder, value, words, engine) -> str:
    """The words from `holder` on."""
    if own_dict(holder) is value or issubclass(type(holder), type):
        return f".{words[2:].replace(chr(39) + ']', '', 1)}" if words.startswith("['") else words
    if type(holder) is tuple and type(value) is types.CellType:
        return words  # of a closure
    if type(holder) is types.FunctionType and _has_defaults(holder, value):
        rows = below(value, engine)  # a function names what is in there
        step, value = next((row for row in rows if words.startswith(row[0])), ("", value))
        words = words.removeprefix(step)
    if type(holder) is types.FrameType:
        steps = of_call(holder, f"{TRACEBACK}: ")
    else:
        steps = below(holder, engine)
    return next((step for step, one in steps if one is value), "") + words


def _has_defaults(function, value) -> bool:
    return any(value is own for own in (function.__defaults__, function.__kwdefaults__))


def _variable(function, cell) -> str:
    """`variable k of the function pull`"""
    free = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    name = next((name for name, one in free if one is cell), None)
    called = f"the function {function.__name__}".replace("the function <lambda>", "a lambda")
    return f"variable {name} of {called}" if name else called


def _module(holder) -> str | None:
    """The module whose names these are."""
    name = holder.get("__name__") if type(holder) is dict else None
    module = sys.modules.get(name) if type(name) is str else None
    return name if module is not None and vars(module) is holder else None
