"""Who keeps these bytes alive? Nodes, other tensors, and the names of your program.

Python knows who refers to an object (`gc.get_referrers`); this file turns the answer into words.
It is slow, asks the whole heap, and is for people: nothing in the engine calls it.
"""

from __future__ import annotations

import gc
import inspect
import sys
import types

from minigrad.autograd.graph import AccumulateGrad, Node
from minigrad.storage import Storage
from minigrad.variable import Variable

CONTAINERS = (list, tuple, set, frozenset, dict)


class Holders(list):
    """The lines of holders(); prints one a line."""

    def __repr__(self):
        return "\n".join(self) if self else "nobody"


def holders(t) -> Holders:
    """One line for each reference that keeps the bytes of `t` alive.

    A node is named with what it saved, a list or dict with the place in it, a local variable with
    its function; locals that only a traceback or a generator keeps are said to be so.
    """
    gc.collect()  # what only a dead cycle holds is not held
    search = _Search()
    lines = []
    for tensor in search.sharers(t._storage):
        for line in search.lines(tensor):
            if line not in lines:
                lines.append(line)
    return Holders(sorted(lines))


class _Search:
    """One look at the heap, which must not count itself."""

    def __init__(self):
        self.running = _running_frames()
        self.tensors: list = []  # all on the same bytes: the tensor, its views, its detached twins
        self.mine = {id(self.running), id(self.tensors), id(self.__dict__)}

    def referrers(self, thing) -> list:
        """Everything that refers to `thing`, except this search."""
        found = gc.get_referrers(thing)
        return [_possessor(r) for r in found if id(r) not in self.mine and not _is_ours(r)]

    def sharers(self, storage) -> list:
        todo = [getattr(storage, "owner", storage)]
        for owner in todo:
            for r in self.referrers(owner):
                if isinstance(r, Variable):
                    self.tensors.append(r)
                elif isinstance(r, Storage):
                    todo.append(r)  # an alias, as `.data` makes
        return self.tensors

    def lines(self, tensor):
        """The references to one tensor, in words."""
        yield from (f"name {name} in {where}" for name, where in self.local_names(tensor))
        for r in self.referrers(tensor):
            yield from self.words(r, tensor)

    def words(self, r, thing):
        if isinstance(r, AccumulateGrad):
            yield "node AccumulateGrad.variable"
        elif isinstance(r, Node):
            yield from (f"node {type(r).__name__}.{k}" for k, v in vars(r).items() if v is thing)
        elif isinstance(r, Variable) and r._grad is thing:
            yield f"the .grad of {self.name_of(r) or 'a tensor without a name'}"
        elif isinstance(r, (types.FrameType, types.GeneratorType)):
            frame = getattr(r, "gi_frame", r)
            for name, where in () if frame in self.running else _locals(frame, thing):
                yield f"name {name} in {where} (kept by a traceback or a generator)"
        elif isinstance(r, CONTAINERS):
            yield from self.of_container(r, thing)
        elif isinstance(r, types.CellType):
            yield "a variable of a closure"

    def of_container(self, r, thing):
        module = _module_name(r)
        if module is not None:
            yield from (f"name {k} in {module}" for k, v in r.items() if v is thing)
        elif saving := self.saving(r):
            yield saving
        else:
            name = self.name_of(r, _places(r, thing))
            yield f"name {name}" if name else f"a {type(r).__name__} without a name"

    def saving(self, entry):
        """`node X._saved_y` if `entry` is a (tensor, version) in what some node saved."""
        for saved in self.referrers(entry) if isinstance(entry, tuple) else ():
            for node in self.referrers(saved) if isinstance(saved, list) else ():
                if isinstance(node, Node):
                    place = next(i for i, e in enumerate(saved) if e is entry)
                    slot = (
                        f"_saved_{node.saves[place]}" if node.saves else f"saved_tensors[{place}]"
                    )
                    return f"node {type(node).__name__}.{slot}"
        return None

    def name_of(self, thing, place=""):
        """A name that leads to `thing`, with a place in it, or None: `l[0] in __main__`."""
        pairs = list(self.local_names(thing))
        for r in self.referrers(thing):
            if (module := _module_name(r)) is not None:
                pairs += [(k, module) for k, v in r.items() if v is thing]
        pairs.sort(key=lambda pair: pair[0].startswith("_"))  # Out rather than _oh
        return f"{pairs[0][0]}{place} in {pairs[0][1]}" if pairs else None

    def local_names(self, thing):
        """(variable, function) for the calls that are running."""
        for frame in self.running:
            yield from _locals(frame, thing)


def _locals(frame, thing) -> list:
    """(variable, function) in one call; a module's variables are found in its namespace instead."""
    variables = frame.f_locals
    if variables is frame.f_globals:
        return []
    found = [(k, frame.f_code.co_name) for k, v in variables.items() if v is thing]
    if isinstance(variables, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        variables.clear()  # up to Python 3.12 a copy that the frame would keep, and all in it
    return found


def _running_frames() -> list:
    """The calls of this thread that belong to the caller's program."""
    frames = []
    frame = sys._getframe().f_back
    while frame is not None:
        if frame.f_code.co_filename != __file__:
            frames.append(frame)
        frame = frame.f_back
    return frames


def _possessor(r):
    """The tensor or node whose `__dict__` this is: Python makes that dict when somebody looks."""
    for owner in gc.get_referrers(r) if type(r) is dict else ():
        if isinstance(owner, (Node, Variable)) and owner.__dict__ is r:
            return owner
    return r


def _is_ours(r) -> bool:
    frame = getattr(r, "gi_frame", r)
    return isinstance(frame, types.FrameType) and frame.f_code.co_filename == __file__


def _module_name(r):
    """The name of the module whose namespace `r` is, or None."""
    if not isinstance(r, dict) or not isinstance(r.get("__name__"), str):
        return None
    module = sys.modules.get(r["__name__"])
    return r["__name__"] if module is not None and vars(module) is r else None


def _places(r, thing) -> str:
    """Where `thing` stands in a container: [0], ['key']; nothing for a set."""
    items = r.items() if isinstance(r, dict) else enumerate(r)
    places = [] if isinstance(r, (set, frozenset)) else [k for k, v in items if v is thing]
    return f"[{places[0]!r}]" if places else ""
