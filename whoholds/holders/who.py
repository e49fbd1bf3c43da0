"""`who(tensor)`: who keeps these bytes alive, as paths that a reader can type, shortest first.

From the names of the program it goes down through all that they hold. What no name leads to is
looked for from below, among all objects that Python knows.
"""

from __future__ import annotations

import gc
import importlib
import sys
import types
from collections import deque
from contextvars import copy_context

from whoholds.engines import engine_with
from whoholds.frames import caller, of_file, ours
from whoholds.holders.edges import edges
from whoholds.holders.modules import of_modules
from whoholds.holders.paths import NAME
from whoholds.holders.search import Search
from whoholds.holders.threads import named_in, of_threads
from whoholds.holders.unasked import of_class, own_dict
from whoholds.places import library

MOST = 400_000  # objects looked at
TOLD = 12  # paths
LAST = "last_value", "last_traceback"
ALIVE = type, types.ModuleType, types.FrameType
CYCLE = "a cycle of references, which gc.collect() ends, or nobody does"


class Holders(list):
    """The paths; prints one a line."""

    def __repr__(self):
        return "\n".join(self) if self else "nobody"


def who(tensor) -> Holders:
    """Who keeps the bytes of `tensor` alive: names of the program, and the way from there.

    A view, a gradient's tensor or an array on the same bytes counts as a holder, too. The tensor
    may be PyTorch's or minigrad's. Raises TypeError for anything else.
    """
    engine = importlib.import_module(f"whoholds.on_{engine_with(tensor)}.bytes_of")
    look, asked_in = _Look(tensor, engine.BytesOf(tensor)), caller()
    look.down(roots(asked_in))
    if not look.found and len(look.kept) >= MOST:  # so many objects: perhaps it is near
        look = _Look(tensor, engine.BytesOf(tensor))
        look.down(named_in(asked_in))
    return Holders(look.paths() or look.up())


class _Look:
    def __init__(self, tensor, engine):
        self.tensor, self.engine = tensor, engine
        self.found: dict = {}  # path -> (whether it is another on the bytes, how many steps)
        self.kept: list = []  # what was looked at: an address must not be used again meanwhile
        self.seen: set = set()
        self.todo: deque = deque()

    def paths(self) -> list:
        """The shortest first; but what leads to the tensor itself before others on its bytes."""
        rank = lambda path: (self.found[path], len(path), path)  # noqa: E731
        return sorted(self.found, key=rank)[:TOLD]

    def down(self, named) -> None:
        """From (name, value) pairs through all that they hold."""
        self.seen |= {id(self.__dict__), id(self.kept), id(self.todo), id(self.engine), id(self)}
        for name, value in named:
            self._arrive(name, value, 0)
        while self.todo and len(self.kept) < MOST:
            path, value, steps = self.todo.popleft()
            rows = self.engine.edges(value)
            for words, one in edges(value) if rows is None else rows:
                self._arrive(path + words, one, steps + 1)

    def _arrive(self, path, value, steps):
        if value is self.tensor:
            self.found.setdefault(path, (False, steps))
        elif (note := self.engine.on_bytes(value)) is not None:
            self.found.setdefault(path + note, (bool(note), steps))
        if id(value) not in self.seen and not issubclass(type(value), types.ModuleType):
            self.seen.add(id(value))
            self.kept.append(value)
            self.todo.append((path, value, steps))

    def up(self) -> list:
        """Who refers to it, where no name leads: a library, a cycle, or what only C code knows."""
        if above := Search({"it": self.tensor}, _Engineless(self)).found["it"]:
            return sorted(_typed(words) for _, words in above)
        rows = []
        for holder in gc.get_referrers(self.tensor):
            owner = _owner(holder)
            if type(owner) is types.FrameType or id(owner) in self.seen or owner is self.kept:
                continue
            rest = self.engine.edges(owner)
            words = [w for w, one in (edges(owner) if rest is None else rest) if one is self.tensor]
            why = f": {CYCLE}" if _leads_to_itself(owner) else ", which no name leads to"
            rows += [f"{of_class(type(owner), '__name__')}{word}{why}" for word in words]
        return sorted(dict.fromkeys(rows))


class _Engineless:
    """What `Search` asks of an engine, for one object that has no card in any picture."""

    def __init__(self, look):
        self._mine = [self, vars(self), look, vars(look), look.kept, look.todo]

    def mine(self) -> list:
        return self._mine

    def card(self, value):
        return None

    def unseen(self, things):
        return ()

    def inside(self, file) -> bool:
        return False

    def behind(self, base):
        return base


def _typed(words) -> str:
    """`torch.nn.functional.seen[0]` for `name seen[0] of torch.nn.functional`."""
    if not words.startswith(NAME):
        return words
    path, _, module = words.removeprefix(NAME).partition(" of ")
    return f"{module}.{path}"


def roots(frame):
    """(name, value): the variables where `who` was asked, those of the calls around, modules'."""
    inner, scopes = frame, []
    while frame is not None:
        if not ours(frame.f_code.co_filename) and not of_file(frame):
            if frame is inner or not library(frame.f_code.co_filename):
                called = "" if frame is inner else f"{frame.f_code.co_name.strip('<>')}."
                scopes += [(called + name, value) for name, value in named_in(frame)]
        frame = frame.f_back
    here = inner.f_globals
    scopes += sorted(_public(here, ""), key=lambda row: row[0].startswith("_"))
    for name in LAST:  # of an error that nobody caught
        scopes.append((f"sys.{name}", getattr(sys, name, None)))
    scopes += [(f"{var.name}.get()", value) for var, value in copy_context().items()]
    scopes += of_threads()
    for name, space in of_modules(here):
        scopes += _public(space, f"{name}.")
    return scopes


def _public(space, prefix):
    return [(prefix + k, v) for k, v in list(space.items()) if not k.startswith("__")]


def _owner(holder):
    """The object whose attributes these are; or the holder itself."""
    if type(holder) is dict:
        for one in gc.get_referrers(holder):
            if own_dict(one) is holder:
                return one
    return holder


def _leads_to_itself(start) -> bool:
    """Not by way of what is alive whoever holds it: the names of a module, a call that runs."""
    seen = {id(names) for names in map(own_dict, list(sys.modules.values())) if names}
    todo = [start]
    while todo and len(seen) < 10_000:
        for one in gc.get_referents(todo.pop()):
            if one is start:
                return True
            if id(one) not in seen and not issubclass(type(one), ALIVE):
                seen.add(id(one))
                todo.append(one)
    return False
