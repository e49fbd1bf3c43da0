"""Which names of the program lead to which tensors and nodes, at one moment."""

from __future__ import annotations

import functools
import inspect
from itertools import islice

from minigrad.core import frames as engine
from minigrad.core.node import Node
from minigrad.core.tensor import Tensor
from minigrad.nn.module import Module, Parameter
from whoholds.frames import of_file
from whoholds.holders.unasked import items, own_dict
from whoholds.places import library

# Is it a file of the engine's, or of a library's?
inside = functools.cache(lambda file: engine.inside(file) or library(file))
MOST = 24  # targets shown of one list or module
LISTED = list, tuple


def leading(kind) -> bool:
    """Can a value of this type lead to tensors or nodes?"""
    return issubclass(kind, (Tensor, Node, Module, list, tuple, dict))


def stays(value) -> bool:
    """Does it lead nowhere, now and ever?"""
    return all(map(stays, value)) if type(value) is tuple else not leading(type(value))


class Scope:
    """The names of one call and where they led, the last time that somebody looked.

    Values are known by address and type, so none is held. Looked at closely is only a name whose
    value is another, may have changed inside, or has got the address of a dead one.
    """

    def __init__(self, frame, names, label):
        self.code, self.names, self.label = frame.f_code, names, label
        self.copied = bool(self.code.co_flags & inspect.CO_OPTIMIZED)
        own = {*self.code.co_varnames, *self.code.co_cellvars, *self.code.co_freevars}
        # Of a call inside, only what is its own: a global is no name of each function.
        self.alone = bool(label) or of_file(frame) or own.issuperset(names)
        self.places: list = []  # of the names whose values can lead somewhere
        self.ids: list = []  # their values' addresses
        self.kinds: list = [type(None) for _ in names]
        self.deep: set = set()  # places of the names whose values may change inside
        self.met: set = set()  # addresses that others' looks have seen given to something new
        self.bound: dict = {}  # name -> targets

    def changes(self, frame, recorder, closely) -> dict:
        """{name: (("t", address), ...)} of the names that may lead elsewhere than before; of a
        module's parameter its path, too.
        """
        values, names = self._values(frame), self.names
        found, tensors, nodes = {}, recorder.tensors, recorder.nodes
        for i in self._changed(values, recorder.met, closely):
            value = values[i]
            address = id(value)
            if address in tensors and id(value._node) in nodes:
                found[names[i]] = (("t", address),)
            else:
                found[names[i]] = tuple(_leads(value, recorder, [])[:MOST])
                if not (issubclass(type(value), Tensor) or stays(value)):
                    self.deep.add(i)
        return found

    def _values(self, frame) -> list:
        variables = frame.f_locals
        outer = () if self.alone else (map(frame.f_globals.get, self.names),)
        values = [*map(variables.get, self.names, *outer)]
        if self.copied and variables.__class__ is dict:
            variables.clear()  # up to Python 3.12 a copy that the frame would keep, and all in it
        return values

    def _changed(self, values, met, closely) -> list:
        """The places to look at closely. It runs once a line: what stays, few steps find out."""
        kinds, before, deep = [*map(type, values)], self.ids, self.deep
        if other := kinds != self.kinds:
            self.kinds, named = kinds, [name in self.bound for name in self.names]
            self.places = [i for i, k in enumerate(kinds) if leading(k) or named[i]]
        self.ids = ids = [*map(id, map(values.__getitem__, self.places))]
        if closely or self.met or other:
            self.deep = set()
            return self.places
        if ids == before and not deep and met.isdisjoint(ids):
            return []
        rows = zip(self.places, ids, before, strict=True)
        return [i for i, new, old in rows if new != old or new in met or i in deep]


def _leads(value, recorder, found: list, depth=0) -> list:
    """Add what the value leads to, and tell of it if it is older than the recording."""
    kind = type(value)
    if issubclass(kind, Tensor):
        if id(value) not in recorder.tensors:
            recorder.meet(value)
        if id(value._node) not in recorder.nodes:
            recorder.meet_node(value._node)
        found.append(("t", id(value)))
    elif issubclass(kind, Node) and not _in_forward(value):
        recorder.meet_node(value)
        found.append(("n", id(value)))
    elif issubclass(kind, Module):
        for module, name, one in owned(value):
            if issubclass(type(one), Parameter):
                found += [(*target, name) for target in _leads(one, recorder, [])]
            elif name.rpartition(".")[2] in own_dict(module).get("_buffer_names", ()):
                recorder.has_role(one, "buffer")
    elif depth < 2:
        for item in list(islice(items(value, LISTED), MOST)):
            if leading(type(item)):
                _leads(item, recorder, found, depth + 1)
    return found


def owned(module, prefix=""):
    """(module, name, tensor) of the tensors that are attributes of a module and of those in it.

    No code of the program is called, for it could change what is looked at.
    """
    own = own_dict(module)
    yield from ((module, prefix + k, v) for k, v in own.items() if issubclass(type(v), Tensor))
    for name, child in own.items():
        if issubclass(type(child), Module):
            yield from owned(child, f"{prefix}{name}.")


def _in_forward(node) -> bool:
    """A ctx whose forward is still running: its node is told of when the op is recorded."""
    return hasattr(node, "_function") and not hasattr(node, "_outputs")
